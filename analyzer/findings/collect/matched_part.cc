// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/matched_part.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "analyzer/rules/signatures/signature_matcher.h"

namespace inquest::findings {
namespace {

using rules::SignatureMatcher;

constexpr size_t kLongLine = 200;    // bytes; shorter ones are quoted whole
constexpr size_t kMostLines = 8;     // of a finding
constexpr size_t kMostPlaces = 512;  // of all

// Compiles a signature's patterns when a line of it is long.
class Matchers {
 public:
  explicit Matchers(const rules::RuleSet& rules) {
    for (const rules::Signature& one : rules.signatures) by_id_[one.id] = &one;
  }

  const SignatureMatcher* Of(const std::string& id) {
    const auto found = by_id_.find(id);
    if (found == by_id_.end()) return nullptr;
    auto& matcher = made_[id];
    if (matcher == nullptr) {
      matcher = std::make_unique<SignatureMatcher>(*found->second,
                                                   rules::Lines::kFew);
    }
    return matcher.get();
  }

 private:
  std::unordered_map<std::string, const rules::Signature*> by_id_;
  std::unordered_map<std::string, std::unique_ptr<SignatureMatcher>> made_;
};

void FindPart(const SignatureMatcher& matcher, Evidence* line) {
  const auto first = matcher.FirstThatMatches(line->text);
  if (!first) return;
  const auto groups = matcher.pattern(*first).Find(line->text, 0);
  if (!groups || groups->empty()) return;
  const size_t begin = groups->front().data() - line->text.data();
  line->matched = {begin, begin + groups->front().size()};
}

}  // namespace

void FindMatchedParts(const rules::RuleSet& rules, Diagnosis* diagnosis) {
  Matchers matchers(rules);
  size_t places = 0;
  for (Finding& finding : diagnosis->findings) {
    const size_t lines = std::min(finding.evidence.size(), kMostLines);
    for (size_t i = 0; i < lines && places < kMostPlaces; ++i) {
      Evidence& line = finding.evidence[i];
      if (line.text.size() < kLongLine) continue;
      // A signature's own finding bears its id.
      const SignatureMatcher* matcher =
          matchers.Of(line.signature.empty() ? finding.rule : line.signature);
      if (matcher == nullptr) continue;
      ++places;
      FindPart(*matcher, &line);
    }
  }
}

}  // namespace inquest::findings
