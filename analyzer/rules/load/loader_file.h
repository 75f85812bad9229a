// SPDX-License-Identifier: Apache-2.0
// One rule file by itself: parsed, checked and read. Files share no state, so
// many are read at a time; LoadRules then merges their definitions. Internal to
// the loader.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyzer/rules/load/load_budget.h"
#include "analyzer/rules/load/loader_merge.h"
#include "analyzer/rules/load/loader_parts.h"

namespace inquest::rules {

class RuleFile {
 public:
  // `all` is for the snippets of messages; it and the source must outlive this.
  RuleFile(const RuleSource& source, const std::vector<RuleSource>& all);
  RuleFile(const RuleFile&) = delete;
  RuleFile& operator=(const RuleFile&) = delete;

  // These two may be called in any thread, one after the other; between them
  // comes Admit, file by file in the order of loading.
  void Parse(const YamlLimits& limits);
  void Read();
  void Admit(LoadBudget* budget);

  size_t text_bytes() const { return source_.text.size(); }
  // Called in the order of loading. Errors in overrides are found only here.
  void MergeInto(RuleSet* all, std::set<std::string>* ids, Merger* merger);
  // All diagnostics of this file.
  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  template <typename Use>
  void ForEach(const char* key, Use use);
  Pack ReadPack(Fields* top);
  Fragments ReadFragments(Fields* top, const std::vector<Code>& codes);
  std::shared_ptr<const Codes> ReadCodes(Fields* top, std::vector<Code> codes);
  void CheckVersion(Fields* top);

  const RuleSource& source_;
  Diagnostics diagnostics_;
  Reporter reporter_;
  YamlDocument own_;
  const YamlDocument* document_ = nullptr;  // null: nothing to read
  PackInfo pack_info_;
  std::map<std::string, LoadBudget::Share> shares_;
  Pack pack_;
  RuleSet set_;
  std::set<std::string> ids_;
  std::vector<Override> overrides_;
};

}  // namespace inquest::rules
