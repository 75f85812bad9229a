// SPDX-License-Identifier: Apache-2.0
#include "authoring/phrasebook/phrasebook.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/rules/model/rule_words.h"
#include "base/glob.h"
#include "base/units.h"

namespace inquest::phrasebook {
namespace {

using findings::Diagnosis;
using findings::Finding;

std::string AdviceText(const std::vector<rules::Fix>& fixes) {
  std::string text;
  for (const rules::Fix& fix : fixes) {
    text += fmt::format("    - {}\n", Printable(fix.text));
    if (!fix.command.empty()) {
      text += fmt::format("      $ {}\n", Printable(fix.command));
    }
  }
  return text;
}

std::string FindingText(const Finding& finding) {
  std::string text =
      fmt::format("    {}: {}\n", finding.cause, Printable(finding.title));
  if (finding.message != finding.title) {
    text += fmt::format("    {}\n", Printable(finding.message));
  }
  return text + AdviceText(finding.fixes);
}

// The verdict, where it is another finding's or none.
std::string VerdictText(const Diagnosis& diagnosis, const Finding* own) {
  const findings::Verdict& verdict = diagnosis.verdict;
  if (!verdict.finding) {
    return fmt::format("    verdict {}: {}\n", verdict.cause, verdict.title);
  }
  const Finding& root = diagnosis.findings[*verdict.finding];
  if (&root == own) return {};
  return fmt::format("    verdict by {}:\n", root.rule) + FindingText(root);
}

const Finding* FindOwn(const Diagnosis& diagnosis, const std::string& rule) {
  const auto own =
      std::find_if(diagnosis.findings.begin(), diagnosis.findings.end(),
                   [&](const Finding& one) { return one.rule == rule; });
  return own == diagnosis.findings.end() ? nullptr : &*own;
}

Status PrintLine(const rules::Signature& signature, const std::string& line,
                 ruletests::Diagnoser* diagnoser, const Print& print) {
  ruletests::Given given;
  given.logs.push_back({"sample.log", line + "\n"});
  ruletests::Fixtures none("");
  ASSIGN_OR_RETURN(const Diagnosis diagnosis,
                   diagnoser->Diagnose(given, &none));
  const Finding* own = FindOwn(diagnosis, signature.id);
  print(fmt::format("  > {}\n", Printable(line)));
  if (own != nullptr) print(FindingText(*own));
  print(VerdictText(diagnosis, own));
  return Status::Ok();
}

}  // namespace

Status PrintSamples(ruletests::Diagnoser* diagnoser, const std::string& glob,
                    const Print& print) {
  for (const rules::Signature& signature : diagnoser->rules().signatures) {
    if (signature.cause.empty() || !MatchesGlob(glob, signature.id)) continue;
    print(fmt::format("{} ({})\n", signature.id, Word(signature.role)));
    for (const std::string& line : rules::SampleLines(signature)) {
      RETURN_IF_ERROR(PrintLine(signature, line, diagnoser, print));
    }
  }
  return Status::Ok();
}

Status PrintTests(const ruletests::TestFile& file,
                  ruletests::Diagnoser* diagnoser, const Print& print) {
  ruletests::Fixtures fixtures(file.fixtures);
  for (const ruletests::Test& test : file.tests) {
    ASSIGN_OR_RETURN(const Diagnosis diagnosis,
                     diagnoser->Diagnose(test.given, &fixtures));
    print(fmt::format("{}: {}\n", file.path, test.name));
    print(VerdictText(diagnosis, nullptr));
  }
  return Status::Ok();
}

}  // namespace inquest::phrasebook
