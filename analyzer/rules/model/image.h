// SPDX-License-Identifier: Apache-2.0
// The shipped rules, the worlds and the causes, as a diagnosis applies them:
// loaded, checked and merged when the program is built, so that a start reads
// no file and no key. Without the samples, which only authors' commands try
// (pack.h has them). Written by cli/pack_rules.cc, read by the commands that
// diagnose. The form is private to one build: writer and reader are the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/rules/model/rule_model.h"
#include "analyzer/rules/model/taxonomy.h"
#include "analyzer/rules/model/world.h"
#include "base/status.h"

namespace inquest::rules {

std::string WriteImage(const RuleSet& set);

struct RuleImage {
  RuleSet set;            // without its signatures, most of its size
  size_t signatures = 0;  // how many ReadSignatures returns
  Worlds worlds;          // rules/world.yaml
  Taxonomy taxonomy;      // rules/taxonomy.yaml
};

// An error means that the program was built incorrectly.
Expected<RuleImage> ReadImage(std::string_view image);
// Those that are not disabled. Only a log needs them.
Expected<std::vector<Signature>> ReadSignatures(std::string_view image);

}  // namespace inquest::rules
