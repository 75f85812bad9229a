// SPDX-License-Identifier: Apache-2.0
// The causes of death that a verdict may name: rules/taxonomy.yaml, embedded in
// the program. Used by the loader to find misspelt causes, by reports to
// explain a cause, and by the ranking for the order of layers. A rule pack may
// use a cause that is not listed; that is only a warning.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace inquest::rules {

struct Cause {
  std::string id;
  std::string meaning;  // "the run died because …"
  int layer = 0;
};

struct Taxonomy {
  std::vector<std::string> layers;                // the lowest first
  std::map<std::string, int, std::less<>> areas;  // area -> layer
  std::vector<Cause> causes;                      // in the order of the file
};

// Read from the file unless they were brought before: the image of the shipped
// rules (image.h) has them ready.
const Taxonomy& TheTaxonomy();
// Once, before anything asks for a cause.
void BringTaxonomy(Taxonomy taxonomy);

const std::vector<Cause>& Causes();
// Null if the id is not in the table.
const Cause* FindCause(std::string_view id);
// "area/name", "none" or "unknown", listed or not.
bool LooksLikeCause(std::string_view id);

// The layer of a cause, listed or not; 0 is the lowest.
int LayerOf(std::string_view cause);
std::string_view LayerName(int layer);

// The file as it is embedded.
std::string_view TaxonomyText();

}  // namespace inquest::rules
