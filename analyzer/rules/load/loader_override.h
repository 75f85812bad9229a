// SPDX-License-Identifier: Apache-2.0
// Entries of `overrides:`: changes to single fields of rules and signatures of
// earlier files. Internal to the loader.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/rules/load/loader_fields.h"

namespace inquest::rules {

class Override {
 public:
  // Reports errors in the entry; usable() is false if there were any.
  explicit Override(Fields fields);

  // Of its texts, which every entry that it changes gets.
  size_t bytes() const;
  Place place() const { return fields_.place(); }
  bool usable() const { return !fields_.failed(); }
  bool Matches(const std::string& id) const;
  void Apply(Rule* rule) const;
  // An error if it changes exceptions or limits, which only rules have.
  void Apply(Signature* signature);
  // If no earlier entry has the id.
  void ReportNoMatch(const std::vector<std::string>& ids);

 private:
  bool Has(std::string_view key) const { return fields_.Has(key); }
  template <typename Entry>
  void ApplyShared(Entry* entry) const;

  Fields fields_;
  std::string id_;  // may contain '*'
  Severity severity_;
  Stage status_;
  std::vector<Fix> fix_;
  std::vector<Exception> exceptions_;
  int64_t rows_ = 0;
  int64_t milliseconds_ = 0;
};

}  // namespace inquest::rules
