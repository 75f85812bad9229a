#include "authoring/ruletests/check_names.h"

#include <algorithm>
#include <set>

#include "analyzer/rules/model/taxonomy.h"
#include "base/glob.h"
#include "base/suggest.h"

namespace inquest::ruletests {
namespace {

class Names {
 public:
  explicit Names(const rules::RuleSet& rules) {
    for (const rules::Rule& rule : rules.rules) Add(rule.id, rule.cause);
    for (const rules::Signature& one : rules.signatures) {
      Add(one.id, one.cause);
    }
    // One that a site switched off may still be named, as absent above all.
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

std::vector<std::string> NamesIn(const Expectation& expect) {
  std::vector<std::string> names = expect.absent;
  const auto add = [&](const FindingExpectation& finding) {
    names.push_back(finding.rule);
    names.insert(names.end(), finding.causes.begin(), finding.causes.end());
  };
  if (expect.verdict) add(*expect.verdict);
  for (const FindingExpectation& finding : expect.findings) add(finding);
  for (const Pair& pair : expect.explained) {
    names.insert(names.end(), {pair.what, pair.by});
  }
  for (const Pair& pair : expect.skipped) names.push_back(pair.what);
  std::erase(names, "");
  return names;
}

}  // namespace

void CheckNames(const std::vector<TestFile>& files,
                const std::vector<rules::RuleSource>& sources,
                const rules::RuleSet& rules, Diagnostics* diagnostics) {
  const Names names(rules);
  for (const TestFile& file : files) {
    for (const Test& test : file.tests) {
      for (const std::string& name : NamesIn(test.expect)) {
        if (names.Has(name)) continue;
        Diagnostic one = rules::RuleDiagnostic(
            sources, Diagnostic::Level::kError, test.place, "T024",
            "the test speaks of '" + name +
                "', which is no rule, signature or cause");
        one.reason = "among the rules that are loaded";
        one.help = names.Help(name);
        diagnostics->push_back(std::move(one));
      }
    }
  }
}

}  // namespace inquest::ruletests
