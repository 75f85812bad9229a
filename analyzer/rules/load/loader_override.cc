// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/loader_override.h"

#include <re2/re2.h>

#include "analyzer/rules/load/check_message.h"
#include "analyzer/rules/load/loader_parts.h"
#include "analyzer/rules/signatures/signature_pattern.h"
#include "base/glob.h"
#include "base/suggest.h"

namespace inquest::rules {
namespace {

constexpr size_t kMaxName = 256;

std::vector<std::string> CapturesOf(const Signature& signature) {
  std::vector<std::string> names;
  for (const Pattern& pattern : signature.patterns) {
    const re2::RE2 re2(pattern.re2, PatternOptions());
    for (const auto& [name, group] : re2.NamedCapturingGroups()) {
      names.push_back(name);
    }
  }
  return names;
}

size_t SizeOf(const nlohmann::json& value) {
  constexpr size_t kBytesOfValue = 64;
  size_t size = kBytesOfValue;
  if (value.is_string()) size += value.get_ref<const std::string&>().size();
  if (value.is_structured()) {
    for (const auto& one : value) size += SizeOf(one);
  }
  return size;
}

}  // namespace

Override::Override(Fields fields) : fields_(std::move(fields)) {
  fields_.Check(OverrideFormat());
  id_ = fields_.Text("id");
  if (id_.size() > kMaxName) {
    fields_.Error(fields_.Where("id"),
                  {"R014", "an id of more than 256 characters", "",
                   "name one entry, or several with '*'"});
  }
  severity_ = ReadSeverity(&fields_);
  status_ = ReadStage(&fields_);
  fix_ = ReadFixes(&fields_);
  exceptions_ = ReadExceptions(&fields_);
  ReadLimits(&fields_, &rows_, &milliseconds_);
  if (fields_.value().is_object() &&
      fields_.value().size() ==
          static_cast<size_t>(Has("id")) + static_cast<size_t>(Has("why"))) {
    fields_.Error(fields_.place(),
                  {"R011", "the override changes nothing", "",
                   "name a field to change, or 'disabled: true'"});
  }
}

size_t Override::bytes() const {
  // A message with fields is checked against the captures of each pattern.
  constexpr size_t kCostOfCheck = 16 << 10;
  return SizeOf(fields_.value()) + (Has("message") ? kCostOfCheck : 0);
}

bool Override::Matches(const std::string& id) const {
  return MatchesGlob(id_, id);
}

template <typename Entry>
void Override::ApplyShared(Entry* entry) const {
  for (const auto& [key, value] : fields_.value().items()) {
    if (key != "id" && key != "why") {
      entry->overridden[key] = fields_.WhereKey(key);
    }
  }
  if (Has("disabled")) entry->disabled = fields_.Bool("disabled");
  if (Has("title")) entry->title = fields_.Text("title");
  if (Has("status")) entry->status = status_;
  if (Has("severity")) entry->severity = severity_;
  if (Has("message")) entry->message = fields_.Text("message");
  if (Has("fix")) entry->fix = fix_;
  if (Has("references")) entry->references = fields_.Texts("references");
  if (Has("falsepositives")) {
    entry->falsepositives = fields_.Texts("falsepositives");
  }
}

void Override::Apply(Rule* rule) const {
  ApplyShared(rule);
  rule->exceptions.insert(rule->exceptions.end(), exceptions_.begin(),
                          exceptions_.end());
  if (rows_ > 0) rule->max_rows = rows_;
  if (milliseconds_ > 0) rule->max_milliseconds = milliseconds_;
}

void Override::Apply(Signature* signature) {
  for (const char* key : {"exceptions", "limits"}) {
    if (!Has(key)) continue;
    fields_.Error(
        fields_.WhereKey(key),
        {"R017",
         "'" + signature->id + "' is a signature, and only rules have " + key,
         "", "override a rule, or set 'disabled: true'"});
  }
  Signature changed = *signature;
  // If the title is also the message, both change.
  const bool shared = signature->message == signature->title;
  ApplyShared(&changed);
  if (shared && !Has("message")) changed.message = changed.title;
  if (Has("message")) CheckMessage(changed, CapturesOf(changed), &fields_);
  if (usable()) *signature = std::move(changed);
}

void Override::ReportNoMatch(const std::vector<std::string>& ids) {
  const std::string nearest = Nearest(id_, ids);
  fields_.Error(
      fields_.Where("id"),
      {"R016", "no earlier rule or signature has the id '" + id_ + "'",
       "an override changes what an earlier file defines",
       nearest.empty() ? "`inquest rules list` names them all"
                       : "did you mean '" + nearest + "'?"});
}

}  // namespace inquest::rules
