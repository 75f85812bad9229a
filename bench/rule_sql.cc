// SPDX-License-Identifier: Apache-2.0
// Measures what the engine adds to the SQL of the rules: runs all rules on a
// trace through the engine, with its sandbox, messages and evidence, and as
// bare statements through SQLite on the same facts. Prints the median of both.
// Usage: bench_rule_sql TRACE TIMES RULES...
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/facts/derive/ending.h"
#include "analyzer/facts/derive/oom.h"
#include "analyzer/findings/collect/collect.h"
#include "analyzer/memory/analyze.h"
#include "analyzer/rules/load/loader.h"

namespace {

using namespace inquest;
using Clock = std::chrono::steady_clock;

double Milliseconds(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

double Median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

Expected<facts::Store> Facts(const std::string& trace) {
  ASSIGN_OR_RETURN(facts::Store store, facts::Store::Create());
  RETURN_IF_ERROR(store.AddTrace(trace).status());
  RETURN_IF_ERROR(store.DefineFacts());
  RETURN_IF_ERROR(memory::Analyze(&store).status());
  RETURN_IF_ERROR(facts::DecideEnding(&store));
  RETURN_IF_ERROR(facts::CollectLogOoms(&store));
  return store;
}

// Only prepares the statement and steps to its end.
void RunBare(Database* db, const std::string& sql) {
  auto statement = db->Prepare(sql);
  while (statement.ok() && statement->Step()) {
  }
}

// The rules that the engine would run on these facts.
std::vector<const rules::Rule*> Runnable(facts::Store* store,
                                         const rules::RuleSet& set) {
  std::vector<const rules::Rule*> all;
  for (const rules::Rule& rule : set.rules) {
    if (std::all_of(
            rule.needs.begin(), rule.needs.end(),
            [&](const std::string& fact) { return store->HasRows(fact); })) {
      all.push_back(&rule);
    }
  }
  return all;
}

Status Run(const std::string& trace, int times,
           const std::vector<std::string>& paths) {
  rules::RuleSet set;
  Diagnostics diagnostics;
  std::vector<rules::RuleSource> sources;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(auto some, rules::ReadRuleDirectory(path));
    for (auto& source : some) {
      source.check_samples = false;
      sources.push_back(std::move(source));
    }
  }
  set = rules::LoadRules(sources, &diagnostics);
  ASSIGN_OR_RETURN(facts::Store store, Facts(trace));
  const auto runnable = Runnable(&store, set);
  findings::Diagnosis last;
  const auto engine = [&] {
    findings::Diagnosis diagnosis;
    (void)findings::CollectFindings(&store, set, &diagnosis, &diagnostics);
    last = std::move(diagnosis);
  };
  const auto bare = [&] {
    for (const rules::Rule* rule : runnable) {
      RunBare(&store.db(), rule->sql);
    }
  };
  // Alternately, so that a busy machine slows both.
  std::vector<double> engine_times;
  std::vector<double> bare_times;
  for (int i = 0; i < times; ++i) {
    bare_times.push_back(Milliseconds(bare));
    engine_times.push_back(Milliseconds(engine));
  }
  const double bare_ms = Median(bare_times);
  const double engine_ms = Median(engine_times);
  std::printf(
      "{\"rules\": %zu, \"run\": %zu, \"findings\": %zu, \"bare_ms\": %.3f, "
      "\"engine_ms\": %.3f}\n",
      set.rules.size(), runnable.size(), last.findings.size(), bare_ms,
      engine_ms);
  return last.limits.empty()
             ? Status::Ok()
             : Internal("a rule hit a limit: " + last.limits.front().rule);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: bench_rule_sql TRACE TIMES RULES...\n");
    return 2;
  }
  const Status status =
      Run(argv[1], std::max(1, std::atoi(argv[2])), {argv + 3, argv + argc});
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.message().c_str());
  return 1;
}
