// SPDX-License-Identifier: Apache-2.0
// Limits the total rule text of one load and the number of its definitions:
// many files, each within the limits of one, would otherwise add up. The
// built-in pack does not count. Used by the loader. The excess is left out with
// an error (R004); earlier files stay.
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
  // How many definitions of one kind are taken from a file.
  struct Share {
    size_t entries = 0;
    bool say = false;  // the first to be cut; once for each kind
  };

  // Whether the file may still be read.
  bool Admit(const std::string& name, size_t bytes, Diagnostics* diagnostics);
  // Of `wanted` more of this kind ("rules").
  Share Take(std::string_view kind, size_t wanted);
  // Whether overrides may still put `bytes` of text into `entries` entries; an
  // override of `*` is copied into every one.
  bool TakeCopies(size_t entries, size_t bytes);
  static void RefuseCopies(const Place& place, Reporter* reporter);
  // Reports that the entry there and later ones are left out.
  static void Refuse(std::string_view kind, const Place& place,
                     Reporter* reporter);

 private:
  size_t bytes_ = 0;
  bool full_ = false;
  size_t copied_ = 0;
  std::map<std::string, size_t, std::less<>> taken_;
};

}  // namespace inquest::rules
