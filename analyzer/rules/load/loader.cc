// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/loader.h"

#include <algorithm>
#include <memory>
#include <set>

#include "analyzer/rules/load/check_relations.h"
#include "analyzer/rules/load/check_samples.h"
#include "analyzer/rules/load/load_budget.h"
#include "analyzer/rules/load/loader_file.h"
#include "analyzer/rules/load/loader_merge.h"
#include "base/parallel.h"

namespace inquest::rules {
namespace {

// Bytes of text parsed at a time: the nodes are held in memory.
constexpr size_t kAtATime = 128 << 10;

// True if the file was not read.
bool IsRefused(const RuleSource& source, Diagnostics* diagnostics) {
  if (source.refused.empty()) return false;
  Diagnostic diagnostic;
  diagnostic.code = "R007";
  diagnostic.message = "the rule file was not read";
  diagnostic.file = source.name;
  diagnostic.reason = source.refused;
  diagnostic.help = "give what it leads to with --rules, if you trust it";
  diagnostics->push_back(std::move(diagnostic));
  return true;
}

using Batch = std::vector<std::unique_ptr<RuleFile>>;

// The files from `*next` on that are read together.
Batch TakeBatch(const std::vector<RuleSource>& sources, size_t* next,
                LoadBudget* budget, Diagnostics* diagnostics) {
  Batch batch;
  size_t bytes = 0;
  for (; *next < sources.size(); ++*next) {
    const RuleSource& source = sources[*next];
    if (IsRefused(source, diagnostics)) continue;
    const bool parsed = source.packed == nullptr || source.check_samples;
    const size_t size = parsed ? source.text.size() : 0;
    if (!batch.empty() && bytes + size > kAtATime) break;
    if (parsed && !budget->Admit(source.name, size, diagnostics)) continue;
    bytes += size;
    batch.push_back(std::make_unique<RuleFile>(source, sources));
  }
  return batch;
}

// Large files first, so that the cores finish at about the same time.
std::vector<RuleFile*> LargestFirst(const Batch& batch) {
  std::vector<RuleFile*> files;
  for (const auto& file : batch) files.push_back(file.get());
  std::stable_sort(files.begin(), files.end(),
                   [](const RuleFile* a, const RuleFile* b) {
                     return a->text_bytes() > b->text_bytes();
                   });
  return files;
}

void ReadBatch(const Batch& batch, const YamlLimits& limits,
               LoadBudget* budget) {
  const std::vector<RuleFile*> files = LargestFirst(batch);
  InParallel(files.size(), [&](size_t i) { files[i]->Parse(limits); });
  for (const auto& file : batch) file->Admit(budget);
  InParallel(files.size(), [&](size_t i) { files[i]->Read(); });
}

// Reports files of one pack that disagree about its version.
void CheckPacks(const std::vector<Pack>& packs, Reporter* reporter) {
  std::map<std::string, const Pack*> first;
  for (const Pack& pack : packs) {
    if (pack.version.empty()) continue;
    const auto [known, is_new] = first.try_emplace(pack.name, &pack);
    if (is_new || known->second->version == pack.version) continue;
    reporter->Warning(
        pack.place,
        {"R006",
         "the pack '" + pack.name + "' has version " + pack.version + " here",
         "it has version " + known->second->version + " in " +
             known->second->place.file,
         "give all files of a pack one version, or state it in one of them"});
  }
}

}  // namespace

RuleSet LoadRules(const std::vector<RuleSource>& sources,
                  Diagnostics* diagnostics, const YamlLimits& limits) {
  return LoadRulesOver({}, sources, diagnostics, limits);
}

RuleSet LoadRulesOver(RuleSet earlier, const std::vector<RuleSource>& sources,
                      Diagnostics* diagnostics, const YamlLimits& limits) {
  RuleSet set = std::move(earlier);
  Reporter reporter(sources, diagnostics);
  LoadBudget budget;
  Merger merger(&set, &budget, &reporter);
  std::set<std::string> ids = merger.ids();
  for (size_t next = 0; next < sources.size();) {
    const Batch batch = TakeBatch(sources, &next, &budget, diagnostics);
    ReadBatch(batch, limits, &budget);
    for (const auto& file : batch) {
      reporter.Pass(std::move(file->diagnostics()));
      file->MergeInto(&set, &ids, &merger);
      reporter.Pass(std::move(file->diagnostics()));
    }
  }
  merger.Finish();
  CheckPacks(set.packs, &reporter);
  CheckRelations(ids, &set, &reporter);
  CheckNeeds(ids, set, &reporter);
  std::set<std::string> to_try;
  for (const RuleSource& source : sources) {
    if (source.check_samples) to_try.insert(source.name);
  }
  CheckSamples(to_try, &set, &reporter);
  return set;
}

}  // namespace inquest::rules
