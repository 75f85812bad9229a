#include "analyzer/rules/model/exceptions.h"

#include <algorithm>

namespace inquest::rules {
namespace {

using nlohmann::json;

// SQL has no booleans of its own: a column holds 0 or 1.
bool Same(const json& wanted, const json& found) {
  if (wanted.is_boolean() && found.is_number()) {
    return found == (wanted.get<bool>() ? 1 : 0);
  }
  return wanted == found;
}

bool Agrees(const json& wanted, const json& found) {
  if (!wanted.is_array()) return Same(wanted, found);
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](const json& one) { return Same(one, found); });
}

}  // namespace

bool Excepts(const Exception& exception, const json& columns) {
  for (const json& tuple : exception.tuples) {
    bool all = true;
    for (const auto& [name, wanted] : tuple.items()) {
      const auto found = columns.find(name);
      all = all && found != columns.end() && !found->is_null() &&
            Agrees(wanted, *found);
    }
    if (all) return true;
  }
  return false;
}

}  // namespace inquest::rules
