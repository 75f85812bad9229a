#include "analyzer/report/words.h"

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

}  // namespace inquest::report
