// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_block_lines.h"

#include <algorithm>
#include <optional>
#include <string>

#include "analyzer/logs/carriers/log_json.h"
#include "analyzer/logs/reader/log_text.h"
#include "base/text.h"

namespace inquest::ingest {
namespace {

constexpr size_t kLongestLine = 64 << 10;

using Use = std::function<void(const LogLine&)>;

void UseLine(std::string_view text, const PrefixProfile& profile, LogLine line,
             const Use& use) {
  if (text.ends_with('\r')) text.remove_suffix(1);
  std::string clean;
  if (NeedsCleaning(text)) {
    CleanText(text, &clean);
    text = clean;
  }
  const Prefixed prefixed = StripPrefixes(text, profile);
  line.rank = prefixed.rank;
  line.group_rank = prefixed.group_rank;
  line.pid = prefixed.pid;
  line.device = prefixed.device;
  if (prefixed.host) line.host = std::string(*prefixed.host);
  line.text = prefixed.text;
  use(line);
}

}  // namespace

void ForEachLine(const LogBlock& block, const PrefixProfile& profile,
                 const Use& use) {
  LogLine line;
  line.number = block.first_line;
  for (size_t at = 0; at < block.text.size(); ++line.number) {
    const size_t end = std::min(block.text.find('\n', at), block.text.size());
    const std::string_view raw =
        block.text.substr(at, std::min(end - at, kLongestLine));
    line.offset = block.offset + static_cast<int64_t>(at);
    line.cut = end - at > kLongestLine;
    at = end + 1;
    const auto json = profile.json_lines ? UnwrapJsonLine(raw) : std::nullopt;
    if (!json) {
      UseLine(raw, profile, line, use);
      continue;
    }
    std::string_view rest = json->text;
    for (bool more = true; more;) {
      const size_t feed = rest.find('\n');
      UseLine(rest.substr(0, feed), profile, line, use);
      more = feed != rest.npos;
      if (more) rest.remove_prefix(feed + 1);
    }
  }
}

}  // namespace inquest::ingest
