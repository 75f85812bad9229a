#include "analyzer/rules/loader.h"

#include <set>

#include "analyzer/rules/check_relations.h"
#include "analyzer/rules/check_samples.h"
#include "analyzer/rules/load_budget.h"
#include "analyzer/rules/loader_merge.h"
#include "analyzer/rules/loader_parts.h"

namespace inquest::rules {
namespace {

using nlohmann::json;

constexpr int64_t kFactsVersion = 1;

// "rules/torch.yaml" -> "torch"
std::string Stem(const std::string& name) {
  const size_t slash = name.rfind('/');
  const std::string file =
      slash == std::string::npos ? name : name.substr(slash + 1);
  return file.substr(0, file.find('.'));
}

class FileLoader {
 public:
  // `pack` is given all but its name, which the file says.
  FileLoader(const YamlDocument& document, PackInfo pack, LoadBudget* budget,
             Reporter* reporter)
      : document_(document),
        pack_(std::move(pack)),
        budget_(budget),
        reporter_(reporter),
        top_(document, "", document.root, reporter) {}

  void Load(std::set<std::string>* ids, RuleSet* all, Merger* merger) {
    RuleSet set;
    top_.Check(FileFormat());
    CheckVersion();
    all->packs.push_back(ReadPack());
    pack_.name = all->packs.back().name;
    ForEach("signatures", ids, [&](Fields entry) {
      ReadSignature(std::move(entry), pack_, &set);
    });
    ForEach("rules", ids,
            [&](Fields entry) { ReadRule(std::move(entry), pack_, &set); });
    ForEach("relations", nullptr,
            [&](Fields entry) { ReadRelation(std::move(entry), &set); });
    merger->Add(std::move(set));
    ForEach("overrides", nullptr,
            [&](Fields entry) { merger->Apply(Override(std::move(entry))); });
  }

 private:
  // `pack: torch`, or name and version.
  Pack ReadPack() {
    Pack pack;
    pack.facts = top_.Number("facts");
    pack.place = top_.Where("pack");
    pack.name = top_.Text("pack", Stem(document_.name));
    if (!top_.Value("pack").is_object()) return pack;
    Fields fields = top_.Child("pack");
    fields.Check(PackFormat());
    pack.name = fields.Text("name", pack.name);
    pack.version = fields.Text("version");
    return pack;
  }

  void CheckVersion() {
    const int64_t version = top_.Number("facts");
    if (version <= kFactsVersion) return;
    top_.Error(top_.Where("facts"),
               {"R005",
                "the file is written for version " + std::to_string(version) +
                    " of the facts",
                "this program knows version " + std::to_string(kFactsVersion),
                "use a newer inquest"});
  }

  template <typename Read>
  void ForEach(const char* key, std::set<std::string>* ids, Read read) {
    const json& list = top_.Value(key);
    if (!list.is_array()) return;
    for (size_t i = 0; i < list.size(); ++i) {
      Fields entry(document_, std::string("/") + key + "/" + std::to_string(i),
                   list[i], reporter_);
      if (!budget_->Take(key, entry.place(), reporter_)) return;
      if (ids != nullptr) ids->insert(entry.Text("id"));
      read(std::move(entry));
    }
  }

  const YamlDocument& document_;
  PackInfo pack_;
  LoadBudget* budget_;
  Reporter* reporter_;
  Fields top_;
};

// Files of one pack that disagree about its version.
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
  RuleSet set;
  Reporter reporter(sources, diagnostics);
  Merger merger(&set, &reporter);
  LoadBudget budget;
  std::set<std::string> ids;
  std::set<std::string> to_try;
  for (const RuleSource& source : sources) {
    if (source.check_samples) to_try.insert(source.name);
    const PackedSource* packed = source.packed.get();
    if (packed != nullptr && !source.check_samples) {
      FileLoader(packed->document, {"", packed, true}, &budget, &reporter)
          .Load(&ids, &set, &merger);
      continue;
    }
    if (!budget.Admit(source.name, source.text.size(), diagnostics)) continue;
    YamlDocument document;
    if (!ParseYaml(source.name, source.text, limits, &document, diagnostics)) {
      continue;
    }
    FileLoader(document, {"", packed, false}, &budget, &reporter)
        .Load(&ids, &set, &merger);
  }
  merger.Finish();
  CheckPacks(set.packs, &reporter);
  CheckRelations(ids, &set, &reporter);
  CheckSamples(to_try, &set, &reporter);
  return set;
}

}  // namespace inquest::rules
