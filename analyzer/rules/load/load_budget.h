// SPDX-License-Identifier: Apache-2.0
// How much rule text one load takes, all files together, and how many
// definitions come of it: many files, each within the limits of one, would
// otherwise add up. Used by the loader. What goes beyond is left out with an
// error (R004); what came before, the built-in pack first, stays.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "analyzer/rules/load/loader_report.h"
#include "analyzer/rules/model/rule_model.h"
#include "base/diagnostic.h"

namespace inquest::rules {

class LoadBudget {
 public:
  // Of what a file defines of one kind, so many are taken.
  struct Share {
    size_t entries = 0;
    bool say = false;  // the first to be cut short; once for each kind
  };

  // Whether the file may still be read.
  bool Admit(const std::string& name, size_t bytes, Diagnostics* diagnostics);
  // Of `wanted` more of this kind ("rules").
  Share Take(std::string_view kind, size_t wanted);
  // Says that the entry there and those after it are left out.
  static void Refuse(std::string_view kind, const Place& place,
                     Reporter* reporter);

 private:
  size_t bytes_ = 0;
  bool full_ = false;
  std::map<std::string, size_t, std::less<>> taken_;
};

}  // namespace inquest::rules
