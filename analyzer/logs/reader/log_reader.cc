// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_reader.h"

#include <utility>

#include "analyzer/logs/reader/log_input.h"
#include "analyzer/logs/reader/log_scanner.h"

namespace inquest::ingest {
namespace {

// An unreadable source is reported, too.
Status Unread(const std::string& path, size_t source, Status status,
              LogSink* sink) {
  LogSource facts;
  facts.path = path;
  facts.kind = "app";
  facts.packing = "none";
  facts.incomplete = true;
  facts.note = status.message();
  sink->OnTail(source, {});
  sink->OnSource(source, facts);
  return status;
}

Status ReadOne(const std::string& name, Expected<LogInput> input,
               int64_t mtime_ns, const rules::SignatureSet& signatures,
               const LogLimits& limits, LogSink* sink, size_t source,
               rules::MatchBudget* budget) {
  if (!input.ok()) return Unread(name, source, input.status(), sink);
  LogSource facts;
  facts.path = name;
  facts.packing = input->packing;
  rules::MatchBudget own(signatures.size());
  LogScanner(source, std::move(facts), mtime_ns, signatures, limits,
             budget == nullptr ? &own : budget, sink)
      .Run(input->bytes.get());
  return Status::Ok();
}

InputLimits InputLimitsOf(const LogLimits& limits) {
  return {limits.max_bytes, limits.max_unpacked_bytes};
}

}  // namespace

Status ReadLogs(const std::vector<std::string>& paths,
                const rules::SignatureSet& signatures, const LogLimits& limits,
                LogSink* sink, size_t first_source,
                rules::MatchBudget* budget) {
  Status first;
  rules::MatchBudget own(signatures.size());
  if (budget == nullptr) budget = &own;
  for (size_t i = 0; i < paths.size(); ++i) {
    auto input = OpenLog(paths[i], InputLimitsOf(limits));
    const int64_t mtime_ns = input.ok() ? input->mtime_ns : 0;
    Status status = ReadOne(paths[i], std::move(input), mtime_ns, signatures,
                            limits, sink, first_source + i, budget);
    if (first.ok() && !status.ok()) first = std::move(status);
  }
  return first;
}

Status ReadLogText(const std::string& name, std::string_view text,
                   const rules::SignatureSet& signatures,
                   const LogLimits& limits, LogSink* sink, size_t source,
                   int64_t mtime_ns, rules::MatchBudget* budget) {
  return ReadOne(name, OpenText(name, text, InputLimitsOf(limits)), mtime_ns,
                 signatures, limits, sink, source, budget);
}

}  // namespace inquest::ingest
