// The causes of death that a verdict may name, with a sentence each. Used by
// the loader to catch misspelt causes and by reports to say what one means. A
// rule pack may use a cause that is not listed; that is only a warning.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace inquest::rules {

struct Cause {
  std::string_view id;
  std::string_view meaning;  // "the run died because …"
};

const std::vector<Cause>& Causes();
// Nothing where the id is not in the table.
const Cause* FindCause(std::string_view id);
// "area/name", "none" or "unknown", listed or not.
bool LooksLikeCause(std::string_view id);

}  // namespace inquest::rules
