// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_words.h"

#include <fmt/format.h>

namespace inquest::report {

std::string_view Word(findings::Standing standing) {
  switch (standing) {
    case findings::Standing::kRoot:
      return "root";
    case findings::Standing::kContributing:
      return "contributing";
    case findings::Standing::kSymptom:
      return "symptom";
    case findings::Standing::kUnexplained:
      return "unexplained";
    case findings::Standing::kNote:
      return "note";
  }
  return "note";
}

std::string More(size_t shown, size_t all) {
  if (shown >= all) return {};
  return fmt::format("  … and {} more\n", all - shown);
}

}  // namespace inquest::report
