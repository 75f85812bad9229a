// SPDX-License-Identifier: Apache-2.0
// `inquest rules profile`: diagnoses a run and prints the time of each stage,
// rule and signature, slowest first. Times are of this machine.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/diagnosis_session.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {
namespace {

using diagnosis::Profile;
using findings::RuleCost;
using nlohmann::json;

struct ProfileOptions {
  SessionOptions session;
  size_t top = 10;
  std::string format = "text";
};

struct NamedCost {
  std::string id;
  rules::SignatureCost cost;
};

using Stages = std::vector<std::pair<const char*, int64_t>>;

Stages StagesOf(const Profile& profile) {
  return {{"parse", profile.parse},    {"compile", profile.compile},
          {"attach", profile.attach},  {"scan", profile.scan},
          {"facts", profile.facts},    {"rules", profile.rules},
          {"ranking", profile.ranking}};
}

std::vector<RuleCost> SlowestRules(const Profile& profile) {
  std::vector<RuleCost> run;
  for (const RuleCost& cost : profile.by_rule.rules) {
    if (!cost.skipped) run.push_back(cost);
  }
  std::stable_sort(run.begin(), run.end(),
                   [](const RuleCost& a, const RuleCost& b) {
                     return a.total_ns() > b.total_ns();
                   });
  return run;
}

std::vector<NamedCost> SlowestSignatures(const Profile& profile,
                                         const rules::RuleSet& set) {
  std::vector<NamedCost> tried;
  const auto& costs = profile.by_signature.costs();
  for (size_t i = 0; i < costs.size(); ++i) {
    if (costs[i].tried > 0) tried.push_back({set.signatures[i].id, costs[i]});
  }
  std::stable_sort(tried.begin(), tried.end(),
                   [](const NamedCost& a, const NamedCost& b) {
                     return a.cost.ns > b.cost.ns;
                   });
  return tried;
}

double Ms(int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e6;
}

std::string RulesText(const std::vector<RuleCost>& rules, size_t top) {
  std::string text =
      "       ms  prepare      run    judge   finish     rows  findings  "
      "rule\n";
  for (size_t i = 0; i < std::min(top, rules.size()); ++i) {
    const RuleCost& one = rules[i];
    text +=
        fmt::format("{:9.3f} {:8.3f} {:8.3f} {:8.3f} {:8.3f} {:8} {:9}  {}\n",
                    Ms(one.total_ns()), Ms(one.prepare_ns), Ms(one.run_ns),
                    Ms(one.judge_ns), Ms(one.finish_ns), one.rows, one.findings,
                    Printable(one.rule));
  }
  return text;
}

std::string SignaturesText(const std::vector<NamedCost>& all, size_t top) {
  std::string text = "       ms    tried  matched  signature\n";
  for (size_t i = 0; i < std::min(top, all.size()); ++i) {
    const auto& [id, cost] = all[i];
    text += fmt::format("{:9.3f} {:8} {:8}  {}\n", Ms(cost.ns), cost.tried,
                        cost.matched, Printable(id));
  }
  return text;
}

std::string Text(const Profile& profile, const rules::RuleSet& set,
                 size_t top) {
  std::string text = "Stages\n";
  for (const auto& [name, nanoseconds] : StagesOf(profile)) {
    text += fmt::format("{:9.3f} ms  {}\n", Ms(nanoseconds), name);
  }
  const auto rules = SlowestRules(profile);
  text +=
      fmt::format("Rules, slowest first: {} run, {} skipped\n", rules.size(),
                  profile.by_rule.rules.size() - rules.size());
  text += RulesText(rules, top);
  const auto signatures = SlowestSignatures(profile, set);
  text += fmt::format("Signatures, slowest first: {} of {} tried on a line\n",
                      signatures.size(), set.signatures.size());
  return text + SignaturesText(signatures, top);
}

json RuleJson(const RuleCost& one) {
  return {{"rule", one.rule},
          {"total_ns", one.total_ns()},
          {"prepare_ns", one.prepare_ns},
          {"run_ns", one.run_ns},
          {"judge_ns", one.judge_ns},
          {"finish_ns", one.finish_ns},
          {"rows", one.rows},
          {"findings", one.findings}};
}

std::string ProfileJson(const Profile& profile, const rules::RuleSet& set,
                        size_t top) {
  json stages = json::object();
  for (const auto& [name, nanoseconds] : StagesOf(profile)) {
    stages[std::string(name) + "_ns"] = nanoseconds;
  }
  json rules = json::array();
  for (const RuleCost& one : SlowestRules(profile)) {
    if (rules.size() < top) rules.push_back(RuleJson(one));
  }
  json signatures = json::array();
  for (const auto& [id, cost] : SlowestSignatures(profile, set)) {
    if (signatures.size() == top) break;
    signatures.push_back({{"signature", id},
                          {"tried", cost.tried},
                          {"matched", cost.matched},
                          {"ns", cost.ns}});
  }
  const json all = {{"schema", "inquest.profile/1"},
                    {"stages", stages},
                    {"rules", rules},
                    {"signatures", signatures}};
  return JsonText(all, 2) + "\n";
}

int Run(ProfileOptions options) {
  Profile profile;
  options.session.profile = &profile;
  auto session = Session::Open(options.session);
  if (!session.ok()) return Fail(session.status());
  if (Status status = session->Diagnose(); !status.ok()) return Fail(status);
  Say(session->diagnostics());
  for (const findings::LimitHit& limit : session->diagnosis().limits) {
    Diagnostic note;
    note.level = Diagnostic::Level::kWarning;
    note.message = findings::LimitWords(limit);
    Say({note});
  }
  Print(options.format == "json"
            ? ProfileJson(profile, session->rules(), options.top)
            : Text(profile, session->rules(), options.top));
  return session->exit_code();
}

}  // namespace

void AddRulesProfile(Command rules) {
  auto options = std::make_shared<ProfileOptions>();
  const Command profile =
      rules.Add("profile", "Diagnose a run and print how long each rule took");
  AddSessionOptions(profile, &options->session);
  profile.Takes("--top", &options->top, "How many of each to show")
      .ShowDefault();
  profile.Takes("--format", &options->format, "How to print it")
      .OneOf({"text", "json"})
      .ShowDefault();
  profile.Run([options] { return Run(*options); });
}

}  // namespace inquest::cli
