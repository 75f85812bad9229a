// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/loader_file.h"

#include <utility>

#include "analyzer/rules/load/yaml.h"

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

}  // namespace

RuleFile::RuleFile(const RuleSource& source, const std::vector<RuleSource>& all)
    : source_(source), reporter_(all, &diagnostics_) {}

void RuleFile::Parse(const YamlLimits& limits) {
  const PackedSource* packed = source_.packed.get();
  const bool known = packed != nullptr && !source_.check_samples;
  pack_info_ = {"", packed, known};
  if (known) {
    document_ = &packed->document;
  } else if (ParseYaml(source_.name, source_.text, limits, &own_,
                       &diagnostics_)) {
    document_ = &own_;
  }
}

void RuleFile::Admit(LoadBudget* budget) {
  if (document_ == nullptr || !document_->root.is_object()) return;
  for (const char* kind : {"signatures", "rules", "relations"}) {
    const auto list = document_->root.find(kind);
    if (list == document_->root.end() || !list->is_array()) continue;
    // What is shipped is no stranger's: a site may bring as much of its own.
    shares_[kind] = source_.packed != nullptr
                        ? LoadBudget::Share{list->size(), false}
                        : budget->Take(kind, list->size());
  }
}

void RuleFile::Read() {
  if (document_ == nullptr) return;
  Fields top(*document_, "", document_->root, &reporter_);
  top.Check(FileFormat());
  CheckVersion(&top);
  pack_ = ReadPack(&top);
  pack_info_.name = pack_.name;
  std::vector<Code> codes = CodesIn(document_->root);
  pack_info_.fragments = ReadFragments(&top, codes);
  pack_info_.codes = ReadCodes(&top, std::move(codes));
  ForEach("signatures", [&](Fields entry) {
    ids_.insert(entry.Text("id"));
    ReadSignature(std::move(entry), pack_info_, &set_);
  });
  ForEach("rules", [&](Fields entry) {
    ids_.insert(entry.Text("id"));
    ReadRule(std::move(entry), pack_info_, &set_);
  });
  ForEach("relations",
          [&](Fields entry) { ReadRelation(std::move(entry), &set_); });
  ForEach("overrides",
          [&](Fields entry) { overrides_.emplace_back(std::move(entry)); });
}

void RuleFile::MergeInto(RuleSet* all, std::set<std::string>* ids,
                         Merger* merger) {
  if (document_ == nullptr) return;
  all->packs.push_back(std::move(pack_));
  ids->merge(ids_);
  merger->Add(std::move(set_));
  for (Override& change : overrides_) merger->Apply(std::move(change));
}

template <typename Use>
void RuleFile::ForEach(const char* key, Use use) {
  if (!document_->root.is_object()) return;
  const auto list = document_->root.find(key);
  if (list == document_->root.end() || !list->is_array()) return;
  const auto share = shares_.find(key);
  for (size_t i = 0; i < list->size(); ++i) {
    Fields entry(*document_, std::string("/") + key + "/" + std::to_string(i),
                 (*list)[i], &reporter_);
    if (share != shares_.end() && i == share->second.entries) {
      if (share->second.say) LoadBudget::Refuse(key, entry.place(), &reporter_);
      return;
    }
    use(std::move(entry));
  }
}

// `pack: torch`, or name and version.
Pack RuleFile::ReadPack(Fields* top) {
  Pack pack;
  pack.facts = top->Number("facts");
  pack.place = top->Where("pack");
  pack.name = top->Text("pack", Stem(document_->name));
  if (!top->Value("pack").is_object()) return pack;
  Fields fields = top->Child("pack");
  fields.Check(PackFormat());
  pack.name = fields.Text("name", pack.name);
  pack.version = fields.Text("version");
  return pack;
}

Fragments RuleFile::ReadFragments(Fields* top, const std::vector<Code>& codes) {
  Fields mapping = top->Child("fragments");
  Fragments fragments = FragmentsOf(top->value(), codes);
  for (const CaptureKind& kind : CaptureKinds()) {
    const std::string name(kind.name);
    if (!fragments.contains(name)) continue;
    mapping.Error(
        mapping.WhereKey(name),
        {"R039", "the fragment '" + name + "' has the name of a kind",
         "{x:" + name + "} would mean either", "give it another name"});
  }
  return fragments;
}

std::shared_ptr<const Codes> RuleFile::ReadCodes(Fields* top,
                                                 std::vector<Code> codes) {
  if (!top->Has("codes")) return nullptr;
  if (!pack_info_.checked) {
    for (Fields& code : top->Children("codes")) {
      code.Check(CodeFormat());
      if (code.Has("cause")) ReadCause(&code);
    }
  }
  return std::make_shared<const Codes>(std::move(codes));
}

void RuleFile::CheckVersion(Fields* top) {
  const int64_t version = top->Number("facts");
  if (version <= kFactsVersion) return;
  top->Error(top->Where("facts"),
             {"R005",
              "the file is written for version " + std::to_string(version) +
                  " of the facts",
              "this program knows version " + std::to_string(kFactsVersion),
              "use a newer inquest"});
}

}  // namespace inquest::rules
