// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/check_message.h"

#include <algorithm>
#include <utility>

#include "analyzer/rules/model/message_fields.h"
#include "base/suggest.h"

namespace inquest::rules {
namespace {

// Figures that every event has, from the line's prefix.
constexpr std::string_view kAlways[] = {"rank", "pid", "host", "device"};
// Figures that a step may name where a stack stands beside the finding's lines.
constexpr std::string_view kOfStacks[] = {"place", "native_place"};
// Figures of a refusal that may stand in lines below it, or that its list of
// processes adds up to.
constexpr std::string_view kOfRefusals[] = {
    "requested_bytes", "free_bytes",  "total_bytes",
    "allocated_bytes", "limit_bytes", "other_bytes"};
const std::vector<std::string> kFormats = {"bytes", "count", "time", "duration",
                                           "ranks"};

bool Among(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A message may have a million fields.
constexpr int kMaxErrors = 20;

// False if there is none.
bool CheckName(const std::string& name, const char* key,
               const std::vector<std::string>& names, bool refusal,
               Fields* fields) {
  if (Among(names, name)) return true;
  if (refusal && std::ranges::find(kOfRefusals, name) != std::end(kOfRefusals))
    return true;
  fields->Error(
      fields->Where(key),
      {"R035", "no capture supplies the figure {" + name + "}",
       "neither a capture nor 'set' has this name", DidYouMean(name, names)});
  return false;
}

}  // namespace

void CheckMessage(const Signature& signature, std::vector<std::string> names,
                  Fields* fields) {
  names.insert(names.end(), std::begin(kAlways), std::end(kAlways));
  for (const auto& [name, value] : signature.set) names.push_back(name);
  const bool refusal = signature.fact == "oom";
  std::vector<std::string> of_steps = names;
  of_steps.insert(of_steps.end(), std::begin(kOfStacks), std::end(kOfStacks));
  int errors = 0;
  for (const Fix& fix : signature.fix) {
    for (const std::string* text : {&fix.text, &fix.command}) {
      for (const std::string& name : FieldsOf(*text)) {
        errors += CheckName(name, "fix", of_steps, refusal, fields) ? 0 : 1;
        if (errors > kMaxErrors) return;
      }
    }
  }
  const char* key = fields->Has("message") ? "message" : "title";
  for (auto field = NextField(signature.message, 0);
       field && errors <= kMaxErrors;
       field = NextField(signature.message, field->end)) {
    errors += CheckName(std::string(field->name), key, names, refusal, fields)
                  ? 0
                  : 1;
    const std::string format(field->format);
    if (!format.empty() && !Among(kFormats, format)) {
      ++errors;
      fields->Error(fields->Where(key),
                    {"R035", "'" + format + "' is not a format for figures", "",
                     DidYouMean(format, kFormats)});
    }
  }
}

}  // namespace inquest::rules
