// SPDX-License-Identifier: Apache-2.0
// A vocabulary of error codes: what a library, kernel or scheduler can report,
// by number, name and text, and the cause that a code suggests if nothing else
// is known. Log messages have endless wordings; vocabularies are finite. Made
// by the loader from the key `codes` of a rule file; shared by that file's
// signatures; const members may be called from many threads at once.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/figures.h"

namespace inquest::rules {

struct Code {
  std::optional<int64_t> number;
  std::vector<std::string> names;  // the first is the canonical one
  std::vector<std::string> texts;  // likewise
  std::string cause;               // empty: that of the signature
};

class Codes {
 public:
  explicit Codes(std::vector<Code> codes);

  // Looks the captures error_name, error_text and error_number up, in this
  // order; texts compare without case. nullptr: no such code.
  const Code* Find(const Figures& captured) const;
  const std::vector<Code>& all() const { return codes_; }

 private:
  std::vector<Code> codes_;
  std::map<std::string, size_t, std::less<>> by_word_;  // in lower case
  std::map<int64_t, size_t> by_number_;
};

// Reads the list under `codes` of a rule file; entries of the wrong shape are
// left out, the loader has reported them.
std::vector<Code> CodesIn(const nlohmann::json& file);

// Expressions for the patterns of a file with codes. A name of fewer than four
// letters is left out of `names` and needs a pattern of its own.
struct CodeExpressions {
  std::string names;   // any name; empty if there are none
  std::string texts;   // any text, likewise
  std::string calm;    // a line that warns, retries or recovers
  std::string source;  // a line of source, which quotes codes and reports none
  std::string
      number_follows;  // "error code: ", "status ", after a library's name
};
CodeExpressions ExpressionsOf(const std::vector<Code>& codes);

// Sets error_number, error_name and error_text, if the code has them, and the
// figure `also` to the name, else the text, else the number.
void AddCode(const Code& code, const std::string& also, Figures* figures);

}  // namespace inquest::rules
