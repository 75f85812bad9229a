// SPDX-License-Identifier: Apache-2.0
// Drafts a signature from a line of a log: pattern with captures, samples, a
// guess at the cause (from known signatures of similar lines) and a test. The
// draft is valid: its test passes, and lint reports only that it is a draft.
// Comments in it show the author what to fill in. Called by `inquest rules
// new`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/rules/model/rule_model.h"
#include "base/status.h"

namespace inquest::authoring {

// The placeholder for the fix in a draft.
inline constexpr char kDraftFix[] = "Say what to do first";

struct Proposal {
  rules::Signature signature;
  std::string log_line;              // as given, without colours
  std::string guessed_from;          // why this cause; empty: no idea
  std::vector<std::string> refines;  // known signatures that match the line
};

// `line` is `raw` without the prefixes that the log reader strips. `known` are
// the rules that the draft will be loaded with.
Expected<Proposal> Propose(std::string_view raw, std::string_view line,
                           const rules::RuleSet& known);

// The rule file, and the test file that goes beside it.
std::string RuleFileOf(const Proposal& proposal, const std::string& pack);
std::string TestFileOf(const Proposal& proposal);

}  // namespace inquest::authoring
