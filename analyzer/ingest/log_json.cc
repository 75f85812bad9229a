#include "analyzer/ingest/log_json.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "analyzer/base/json_text.h"

namespace inquest::ingest {
namespace {

using nlohmann::json;

std::string TextOf(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return "";
  if (found->is_string()) return found->get<std::string>();
  std::string bytes;  // the journal writes what is not UTF-8 as numbers
  if (!found->is_array()) return bytes;
  for (const json& byte : *found) {
    if (byte.is_number_unsigned()) {
      bytes += static_cast<char>(byte.get<uint64_t>() & 0xFF);
    }
  }
  return bytes;
}

JsonLine FromDocker(const json& object) {
  JsonLine line;
  line.text = TextOf(object, "log");
  line.partial = !line.text.ends_with('\n');
  line.stamp = ParseStamp(TextOf(object, "time"));
  return line;
}

JsonLine FromJournal(const json& object) {
  JsonLine line;
  line.text = TextOf(object, "MESSAGE");
  line.host = TextOf(object, "_HOSTNAME");
  line.kernel = TextOf(object, "_TRANSPORT") == "kernel" ||
                TextOf(object, "SYSLOG_IDENTIFIER") == "kernel";
  const std::string digits = TextOf(object, "__REALTIME_TIMESTAMP");
  int64_t microseconds = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, microseconds);
  if (error == std::errc() && stop == end && microseconds >= 0 &&
      microseconds < 9'000'000'000'000'000) {
    LogStamp stamp;
    stamp.clock = LogStamp::Clock::kEpoch;
    stamp.ns = microseconds * 1000;
    stamp.resolution_ns = 1000;
    line.stamp = stamp;
  }
  return line;
}

}  // namespace

bool LooksLikeJsonLine(std::string_view line) {
  return line.starts_with("{\"log\":\"") ||
         (line.starts_with('{') &&
          line.find("\"__REALTIME_TIMESTAMP\"") != std::string_view::npos);
}

std::optional<JsonLine> UnwrapJsonLine(std::string_view line) {
  if (!LooksLikeJsonLine(line)) return std::nullopt;
  const json object = ParseJson(line);
  if (!object.is_object()) return std::nullopt;
  JsonLine out =
      object.contains("log") ? FromDocker(object) : FromJournal(object);
  while (out.text.ends_with('\n')) out.text.pop_back();
  return out;
}

}  // namespace inquest::ingest
