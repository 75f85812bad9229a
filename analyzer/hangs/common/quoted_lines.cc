// SPDX-License-Identifier: Apache-2.0
#include "analyzer/hangs/common/quoted_lines.h"

#include <string>

#include "base/secrets/secrets.h"
#include "base/units.h"

namespace inquest::hangs {
namespace {

constexpr size_t kMaxTextBytes = 4000;  // as of other events

}  // namespace

Expected<QuotedLines> QuotedLines::Make(facts::Store* store) {
  QuotedLines lines;
  lines.store_ = store;
  ASSIGN_OR_RETURN(
      lines.find_,
      store->db().Prepare("SELECT id FROM store_log_event WHERE source = ? AND "
                          "line = ? AND role = 'context' ORDER BY id LIMIT 1"));
  ASSIGN_OR_RETURN(
      lines.insert_,
      store->db().Prepare(
          "INSERT INTO store_log_event (signature, role, severity, source, "
          "path, line, offset, time_error, rank, pid, text, figures) SELECT "
          "?1, 'context', 'note', ?2, coalesce((SELECT path FROM "
          "store_log_source WHERE source = ?2), ''), ?3, ?4, 0, ?5, ?6, ?7, "
          "'{}'"));
  return lines;
}

Expected<int64_t> QuotedLines::Add(const QuotedLine& quoted) {
  const auto source = static_cast<int64_t>(quoted.source) + 1;
  int64_t known = 0;
  find_.BindAll(source, quoted.line);
  const bool found = find_.Next(&known);
  const Status status = find_.status();
  find_.Reset();
  RETURN_IF_ERROR(status);
  if (found) return known;
  const auto masked = FindAndMaskSecrets(quoted.text);
  const std::string text = Printable(
      masked ? std::string_view(*masked) : quoted.text, kMaxTextBytes);
  RETURN_IF_ERROR(insert_.Run(quoted.signature, source, quoted.line,
                              quoted.offset, quoted.rank, quoted.pid, text));
  return store_->db().QueryInt("SELECT last_insert_rowid()");
}

}  // namespace inquest::hangs
