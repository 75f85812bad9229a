// SPDX-License-Identifier: Apache-2.0
// Entries of `overrides:`: what a later file changes about rules and signatures
// of earlier ones, field by field. Internal to the loader.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/rules/load/loader_fields.h"

namespace inquest::rules {

class Override {
 public:
  // Says what is wrong with the entry; usable() tells whether anything was.
  explicit Override(Fields fields);

  bool usable() const { return !fields_.failed(); }
  bool Matches(const std::string& id) const;
  void Apply(Rule* rule) const;
  // Exceptions and limits are of rules alone: then it is an error.
  void Apply(Signature* signature);
  // Where nothing earlier has the id.
  void ReportNoMatch(const std::vector<std::string>& ids);

 private:
  bool Has(std::string_view key) const { return fields_.Has(key); }
  template <typename Entry>
  void ApplyShared(Entry* entry) const;

  Fields fields_;
  std::string id_;  // may hold '*'
  Severity severity_;
  Stage status_;
  std::vector<Fix> fix_;
  std::vector<Exception> exceptions_;
  int64_t rows_ = 0;
  int64_t milliseconds_ = 0;
};

}  // namespace inquest::rules
