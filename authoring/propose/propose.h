// From a line of a log to a signature, as a first draft: pattern with captures,
// samples, a guess at the cause from what the known signatures say of lines
// like it, and a test. The draft is right (its test passes, and lint says only
// that it is a draft); what it means is for the author to say, and comments in
// it say where. Called by `inquest rules new`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/rules/model/rule_model.h"
#include "base/status.h"

namespace inquest::authoring {

// What a draft says in the place of a fix.
inline constexpr char kDraftFix[] = "Say what to do first";

struct Proposal {
  rules::Signature signature;
  std::string log_line;              // as given, without colours
  std::string guessed_from;          // why this cause; empty: no idea
  std::vector<std::string> refines;  // known signatures that match the line
};

// `line` is what is left of `raw` when the log reader has taken off what
// carried it. `known` are the rules that the draft will live with.
Expected<Proposal> Propose(std::string_view raw, std::string_view line,
                           const rules::RuleSet& known);

// The rule file, and the test file that goes beside it.
std::string RuleFileOf(const Proposal& proposal, const std::string& pack);
std::string TestFileOf(const Proposal& proposal);

}  // namespace inquest::authoring
