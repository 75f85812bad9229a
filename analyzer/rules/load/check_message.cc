// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/check_message.h"

#include <algorithm>
#include <utility>

#include "base/suggest.h"

namespace inquest::rules {
namespace {

// Figures that every event has, from the line's prefix.
constexpr std::string_view kAlways[] = {"rank", "pid", "host", "device"};
const std::vector<std::string> kFormats = {"bytes", "count", "time",
                                           "duration"};

bool Among(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

void CheckMessage(const Signature& signature, std::vector<std::string> names,
                  Fields* fields) {
  names.insert(names.end(), std::begin(kAlways), std::end(kAlways));
  for (const auto& [name, value] : signature.set) names.push_back(name);
  const char* key = fields->Has("message") ? "message" : "title";
  std::string_view rest = signature.message;
  while (true) {
    const size_t open = rest.find('{');
    const size_t close = rest.find('}', open);
    if (open == rest.npos || close == rest.npos) return;
    const std::string_view field = rest.substr(open + 1, close - open - 1);
    const std::string name(field.substr(0, field.find('|')));
    if (!Among(names, name)) {
      fields->Error(fields->Where(key),
                    {"R035", "no capture supplies the figure {" + name + "}",
                     "neither a capture nor 'set' has this name",
                     DidYouMean(name, names)});
    }
    if (field.size() > name.size()) {
      const std::string format(field.substr(name.size() + 1));
      if (!Among(kFormats, format)) {
        fields->Error(fields->Where(key),
                      {"R035", "'" + format + "' is not a format for figures",
                       "", DidYouMean(format, kFormats)});
      }
    }
    rest.remove_prefix(close + 1);
  }
}

}  // namespace inquest::rules
