// SPDX-License-Identifier: Apache-2.0
#include "authoring/ruletests/check_names.h"

#include <algorithm>
#include <set>

#include "analyzer/rules/model/aliases.h"
#include "analyzer/rules/model/taxonomy.h"
#include "base/glob.h"
#include "base/suggest.h"

namespace inquest::ruletests {
namespace {

// More would fill the screen, and each is compared with every name.
constexpr size_t kMaxUnknown = 50;

class Names {
 public:
  explicit Names(const rules::RuleSet& rules) {
    for (const rules::Rule& rule : rules.rules) Add(rule.id, rule.cause);
    for (const rules::Signature& one : rules.signatures) {
      Add(one.id, one.cause);
    }
    // A disabled one may still be named, mainly as absent.
    for (const auto& rule : rules.disabled_rules) Add(rule.id, rule.cause);
    for (const auto& one : rules.disabled_signatures) Add(one.id, one.cause);
    for (const rules::Cause& cause : rules::Causes()) {
      causes_.emplace(cause.id);
    }
  }

  bool Has(const std::string& pattern) const {
    return Any(ids_, pattern) || Any(causes_, pattern);
  }

  std::string Help(const std::string& name) const {
    const auto& names = name.find('/') == name.npos ? ids_ : causes_;
    return DidYouMean(name, {names.begin(), names.end()});
  }

 private:
  void Add(const std::string& id, const std::string& cause) {
    ids_.insert(id);
    if (!cause.empty()) causes_.insert(cause);
  }
  static bool Any(const std::set<std::string>& names,
                  const std::string& pattern) {
    if (names.contains(pattern)) return true;
    return std::any_of(
        names.begin(), names.end(),
        [&](const std::string& name) { return MatchesGlob(pattern, name); });
  }

  std::set<std::string> ids_;
  std::set<std::string> causes_;
};

// Visits every name that may be a rule or a cause.
template <typename Expect, typename Visit>
void ForEachName(Expect& expect, Visit visit) {
  const auto visit_finding = [&](auto& finding) {
    visit(finding.rule);
    for (auto& cause : finding.causes) visit(cause);
  };
  for (auto& name : expect.absent) visit(name);
  if (expect.verdict) visit_finding(*expect.verdict);
  for (auto& finding : expect.findings) visit_finding(finding);
  for (auto& pair : expect.explained) {
    visit(pair.what);
    visit(pair.by);
  }
  for (auto& pair : expect.skipped) visit(pair.what);
}

std::vector<std::string> NamesIn(const Expectation& expect) {
  std::vector<std::string> names;
  ForEachName(expect, [&](const std::string& name) { names.push_back(name); });
  std::erase(names, "");
  return names;
}

}  // namespace

void UseIdsOfToday(const rules::RuleSet& rules, std::vector<TestFile>* files) {
  for (TestFile& file : *files) {
    for (Test& test : file.tests) {
      ForEachName(test.expect, [&](std::string& name) {
        name = rules::IdOfToday(rules.aliases, name);
      });
    }
  }
}

void CheckNames(const std::vector<TestFile>& files,
                const std::vector<rules::RuleSource>& sources,
                const rules::RuleSet& rules, Diagnostics* diagnostics) {
  const Names names(rules);
  size_t unknown = 0;
  for (const TestFile& file : files) {
    for (const Test& test : file.tests) {
      for (const std::string& name : NamesIn(test.expect)) {
        if (names.Has(name)) continue;
        if (++unknown > kMaxUnknown) return;
        Diagnostic one = rules::RuleDiagnostic(
            sources, Diagnostic::Level::kError, test.place, "T024",
            "the test names '" + name +
                "', which is not a rule, signature or cause");
        one.reason = "among the rules that are loaded";
        one.help = names.Help(name);
        diagnostics->push_back(std::move(one));
      }
    }
  }
}

}  // namespace inquest::ruletests
