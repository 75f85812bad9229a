// SPDX-License-Identifier: Apache-2.0
// Puts what the files define together, file after file. Ids are shared by
// signatures and rules; a later file may define an id anew, or override single
// fields of it. A former id (`aliases`) means the entry that has it. Internal
// to the loader.
#pragma once

#include <map>
#include <string>

#include "analyzer/rules/load/loader_override.h"

namespace inquest::rules {

class Merger {
 public:
  Merger(RuleSet* all, Reporter* reporter) : all_(all), reporter_(reporter) {}

  // What one file defines.
  void Add(RuleSet part);
  // To everything added so far that has the id.
  void Apply(Override change);
  // Takes what is switched off out of the lists, and puts today's ids in the
  // place of former ones; the last call.
  void Finish();

 private:
  struct Known {
    bool rule;
    size_t index;
    Place place;
  };

  template <typename T>
  void Put(T entry, bool rule, std::vector<T>* list);
  template <typename T>
  void TakeAliases(const T& entry);
  bool MayReplace(const std::string& id, const Place& place, bool rule,
                  const Known& known);

  RuleSet* all_;
  Reporter* reporter_;
  std::map<std::string, Known> known_;
};

}  // namespace inquest::rules
