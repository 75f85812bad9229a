#include "analyzer/rules/loader.h"

#include <map>
#include <set>

#include "analyzer/rules/check_relations.h"
#include "analyzer/rules/check_samples.h"
#include "analyzer/rules/loader_parts.h"

namespace inquest::rules {
namespace {

using nlohmann::json;

constexpr int64_t kFactsVersion = 1;
constexpr KeySpec kFileKeys[] = {{"facts", Shape::kPositive, true},
                                 {"pack", Shape::kText},
                                 {"signatures", Shape::kList},
                                 {"rules", Shape::kList},
                                 {"relations", Shape::kList}};

// "rules/torch.yaml" -> "torch"
std::string Stem(const std::string& name) {
  const size_t slash = name.rfind('/');
  const std::string file =
      slash == std::string::npos ? name : name.substr(slash + 1);
  return file.substr(0, file.find('.'));
}

// Puts what the files define together. Ids are shared by signatures and rules.
class Merger {
 public:
  Merger(RuleSet* all, Reporter* reporter) : all_(all), reporter_(reporter) {}

  void Add(RuleSet part) {
    for (Signature& signature : part.signatures) {
      Put(std::move(signature), false, &all_->signatures);
    }
    for (Rule& rule : part.rules) Put(std::move(rule), true, &all_->rules);
    for (Relation& relation : part.relations) {
      all_->relations.push_back(std::move(relation));
    }
  }

 private:
  struct Known {
    bool rule;
    size_t index;
    Place place;
  };

  template <typename T>
  void Put(T entry, bool rule, std::vector<T>* list) {
    const auto known = known_.find(entry.id);
    if (known == known_.end()) {
      known_[entry.id] = {rule, list->size(), entry.place};
      list->push_back(std::move(entry));
      return;
    }
    if (!MayOverride(entry.id, entry.place, rule, known->second)) return;
    known->second.place = entry.place;
    (*list)[known->second.index] = std::move(entry);
  }

  bool MayOverride(const std::string& id, const Place& place, bool rule,
                   const Known& known) {
    const std::string earlier = "it stands already at " + known.place.file +
                                ":" + std::to_string(known.place.line) + ":" +
                                std::to_string(known.place.column);
    if (known.rule == rule && known.place.file != place.file) {
      reporter_->Note(
          place, {"R060", "'" + id + "' replaces an earlier one", earlier, ""});
      return true;
    }
    reporter_->Error(
        place,
        {"R015", "the id '" + id + "' is used twice", earlier,
         known.rule != rule ? "signatures and rules share their ids" : ""});
    return false;
  }

  RuleSet* all_;
  Reporter* reporter_;
  std::map<std::string, Known> known_;
};

class FileLoader {
 public:
  FileLoader(const YamlDocument& document, const PackedSource* packed,
             Reporter* reporter)
      : document_(document),
        packed_(packed),
        reporter_(reporter),
        top_(document, "", document.root, reporter) {}

  RuleSet Load(std::set<std::string>* ids) {
    RuleSet set;
    top_.Check(kFileKeys, "a rule file");
    CheckVersion();
    const PackInfo pack{top_.Text("pack", Stem(document_.name)), packed_};
    ForEach("signatures", ids,
            [&](Fields entry) { ReadSignature(std::move(entry), pack, &set); });
    ForEach("rules", ids,
            [&](Fields entry) { ReadRule(std::move(entry), pack, &set); });
    ForEach("relations", nullptr,
            [&](Fields entry) { ReadRelation(std::move(entry), &set); });
    return set;
  }

 private:
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
      if (ids != nullptr) ids->insert(entry.Text("id"));
      read(std::move(entry));
    }
  }

  const YamlDocument& document_;
  const PackedSource* packed_;
  Reporter* reporter_;
  Fields top_;
};

}  // namespace

RuleSet LoadRules(const std::vector<RuleSource>& sources,
                  Diagnostics* diagnostics, const YamlLimits& limits) {
  RuleSet set;
  Reporter reporter(sources, diagnostics);
  Merger merger(&set, &reporter);
  std::set<std::string> ids;
  std::set<std::string> to_try;
  for (const RuleSource& source : sources) {
    if (source.check_samples) to_try.insert(source.name);
    if (const PackedSource* packed = source.packed.get()) {
      merger.Add(FileLoader(packed->document, packed, &reporter).Load(&ids));
      continue;
    }
    YamlDocument document;
    if (!ParseYaml(source.name, source.text, limits, &document, diagnostics)) {
      continue;
    }
    merger.Add(FileLoader(document, nullptr, &reporter).Load(&ids));
  }
  CheckRelations(ids, &set, &reporter);
  CheckSamples(to_try, &set, &reporter);
  return set;
}

}  // namespace inquest::rules
