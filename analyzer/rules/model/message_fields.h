// SPDX-License-Identifier: Apache-2.0
// The fields of messages and steps: "{figure}" or "{figure|format}", both of
// small letters, digits and '_'. "${HOME}" and "{print $1}" are not fields, so
// that commands keep their own braces.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inquest::rules {

struct Field {
  size_t begin = 0;  // of its opening brace
  size_t end = 0;    // after its closing brace
  std::string_view name;
  std::string_view format;  // may be empty
};

// The first field at or after `from`.
std::optional<Field> NextField(std::string_view text, size_t from);

// "[part]" with a field: it is left out where a figure is missing. It ends at
// the first ']'; brackets without a field are text.
struct Part {
  size_t begin = 0;  // of its opening bracket
  size_t end = 0;    // after its closing bracket
  std::string_view inside;
};

// The first part at or after `from`.
std::optional<Part> NextPart(std::string_view text, size_t from);

// The figures that a text names, in its order.
std::vector<std::string> FieldsOf(std::string_view text);

}  // namespace inquest::rules
