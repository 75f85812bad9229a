// SPDX-License-Identifier: Apache-2.0
// Merges the definitions of the files, file by file. Signatures and rules share
// their ids; a later file may define an id again, or override single fields of
// it. A former id (`aliases`) means the entry that lists it. Internal to the
// loader.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyzer/rules/load/load_budget.h"
#include "analyzer/rules/load/loader_override.h"

namespace inquest::rules {

class Merger {
 public:
  // All must outlive this. What the set holds already comes first.
  Merger(RuleSet* all, LoadBudget* budget, Reporter* reporter);

  std::set<std::string> ids() const;
  // Adds the definitions of one file.
  void Add(RuleSet part);
  // Applies it to all entries so far that have the id.
  void Apply(Override change);
  // Removes disabled entries from the lists and replaces former ids by current
  // ones; the last call.
  void Finish();

 private:
  struct Known {
    bool rule;
    size_t index;
    Place place;
  };

  template <typename T>
  void Know(bool rule, std::vector<T>* list, std::vector<T>* disabled);
  template <typename T>
  void Put(T entry, bool rule, std::vector<T>* list);
  template <typename T>
  void TakeAliases(const T& entry);
  bool MayReplace(const std::string& id, const Place& place, bool rule,
                  const Known& known);
  std::vector<const Known*> MeantBy(const Override& change);

  RuleSet* all_;
  LoadBudget* budget_;
  Reporter* reporter_;
  std::map<std::string, Known> known_;
};

}  // namespace inquest::rules
