// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/carriers/log_json.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>

#include "analyzer/logs/carriers/log_scan.h"
#include "base/json_text.h"

namespace inquest::ingest {
namespace {

using nlohmann::json;
using std::string_view;

// Keys under which loggers put the message, the most distinctive first.
constexpr string_view kMessages[] = {"message", "msg",   "@message",
                                     "MESSAGE", "event", "textPayload",
                                     "log",     "line",  "text"};
constexpr string_view kTracebacks[] = {"exc_info",   "exception", "exc_text",
                                       "traceback",  "stack",     "stack_trace",
                                       "stacktrace", "stack_info"};
constexpr string_view kTimes[] = {"timestamp", "@timestamp", "time",
                                  "ts",        "asctime",    "date"};
constexpr string_view kRanks[] = {"rank", "global_rank", "RANK"};
constexpr string_view kHosts[] = {"host", "hostname", "host_name", "node",
                                  "_HOSTNAME"};
constexpr string_view kPids[] = {"pid", "process"};

std::string TextOf(const json& object, string_view key) {
  const auto found = object.find(key);
  if (found == object.end()) return "";
  if (found->is_string()) return found->get<std::string>();
  std::string bytes;  // the journal writes invalid UTF-8 as numbers
  if (!found->is_array()) return bytes;
  for (const json& byte : *found) {
    if (byte.is_number_unsigned()) {
      bytes += static_cast<char>(byte.get<uint64_t>() & 0xFF);
    }
  }
  return bytes;
}

LogStamp SinceEpoch(int64_t ns, int64_t resolution_ns) {
  LogStamp stamp;
  stamp.clock = LogStamp::Clock::kEpoch;
  stamp.ns = ns;
  stamp.resolution_ns = resolution_ns;
  return stamp;
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
    line.stamp = SinceEpoch(microseconds * 1000, 1000);
  }
  return line;
}

template <size_t N>
bool IsOneOf(string_view key, const string_view (&keys)[N]) {
  return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
}

// The first of the keys that has a text.
template <size_t N>
std::string FirstText(const json& object, const string_view (&keys)[N]) {
  for (const string_view key : keys) {
    const auto found = object.find(key);
    if (found != object.end() && found->is_string()) return *found;
  }
  return "";
}

template <size_t N>
std::optional<int64_t> FirstNumber(const json& object,
                                   const string_view (&keys)[N]) {
  for (const string_view key : keys) {
    const auto found = object.find(key);
    if (found == object.end()) continue;
    if (found->is_number_unsigned()) {
      const auto number = found->get<uint64_t>();
      if (number < 1'000'000'000) return static_cast<int64_t>(number);
    } else if (found->is_string()) {  // "65", as Ray writes
      Cursor digits(found->get_ref<const std::string&>());
      const auto number = digits.Number(9);
      if (number && digits.done()) return number;
    }
  }
  return std::nullopt;
}

// Seconds, milliseconds, microseconds or nanoseconds since 1970, distinguished
// by the number of digits: 1e9 seconds are 2001, 1e11 the year 5138.
std::optional<LogStamp> EpochOf(const json& value) {
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  int64_t unit = 1'000'000'000;
  for (double most = 1e11; number >= most && unit > 1; most *= 1e3) {
    unit /= 1000;
  }
  if (number < 1e9 || number * static_cast<double>(unit) > 9e18) {
    return std::nullopt;
  }
  if (value.is_number_integer()) {
    return SinceEpoch(value.get<int64_t>() * unit, unit);
  }
  return SinceEpoch(static_cast<int64_t>(number * static_cast<double>(unit)),
                    1'000'000);
}

std::optional<LogStamp> TimeOf(const json& object) {
  for (const string_view key : kTimes) {
    const auto found = object.find(key);
    if (found == object.end()) continue;
    if (found->is_string()) {
      return ParseStamp(found->get_ref<const std::string&>());
    }
    if (const auto stamp = EpochOf(*found)) return stamp;
  }
  return std::nullopt;
}

// Values logged as separate numbers: a step, a loss.
std::string NumbersOf(const json& object) {
  std::string line;
  for (const auto& [key, value] : object.items()) {
    if (!value.is_number() || IsOneOf(key, kTimes) || IsOneOf(key, kRanks) ||
        IsOneOf(key, kPids)) {
      continue;
    }
    line += (line.empty() ? "" : " ") + key + "=" + JsonText(value);
  }
  return line;
}

void AddLine(const std::string& line, std::string* text) {
  if (!line.empty()) *text += (text->empty() ? "" : "\n") + line;
}

JsonLine FromLogger(const json& object) {
  JsonLine line;
  line.text = FirstText(object, kMessages);
  AddLine(FirstText(object, kTracebacks), &line.text);
  AddLine(NumbersOf(object), &line.text);
  line.stamp = TimeOf(object);
  line.rank = FirstNumber(object, kRanks);
  line.pid = FirstNumber(object, kPids);
  line.host = FirstText(object, kHosts);
  return line;
}

bool IsDocker(string_view line) {
  return line.starts_with("{\"log\":\"") &&
         line.find("\"stream\":\"") != string_view::npos;
}

bool IsJournal(string_view line) {
  return line.starts_with('{') &&
         line.find("\"__REALTIME_TIMESTAMP\"") != string_view::npos;
}

// An object with such a key may come from something else; its text is then also
// useful without the rest.
bool IsLogger(string_view line) {
  if (!line.starts_with("{\"") && !line.starts_with("{ \"")) return false;
  for (const string_view key : kMessages) {
    const std::string quoted = '"' + std::string(key) + "\":";
    if (line.find(quoted) != string_view::npos) return true;
  }
  return false;
}

}  // namespace

bool LooksLikeJsonLine(std::string_view line) {
  return IsDocker(line) || IsJournal(line) || IsLogger(line);
}

std::optional<JsonLine> UnwrapJsonLine(std::string_view line) {
  if (!LooksLikeJsonLine(line)) return std::nullopt;
  const json object = ParseJson(line);
  if (!object.is_object()) return std::nullopt;
  JsonLine out = IsJournal(line)  ? FromJournal(object)
                 : IsDocker(line) ? FromDocker(object)
                                  : FromLogger(object);
  while (out.text.ends_with('\n')) out.text.pop_back();
  if (out.text.empty() && !IsDocker(line)) return std::nullopt;
  return out;
}

}  // namespace inquest::ingest
