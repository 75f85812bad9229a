#include "analyzer/rules/words.h"

namespace inquest::rules {

std::string_view Word(Role role) {
  switch (role) {
    case Role::kCause:
      return "cause";
    case Role::kSymptom:
      return "symptom";
    case Role::kConfirm:
      return "confirm";
    case Role::kContext:
      return "context";
    case Role::kProgress:
      return "progress";
    case Role::kFinish:
      return "finish";
    case Role::kAdvice:
      return "advice";
    case Role::kBenign:
      return "benign";
    case Role::kNote:
      return "note";
  }
  return "note";
}

std::string_view Word(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "error";
}

std::string_view Word(Confidence confidence) {
  switch (confidence) {
    case Confidence::kPossible:
      return "possible";
    case Confidence::kProbable:
      return "probable";
    case Confidence::kConfirmed:
      return "confirmed";
  }
  return "possible";
}

}  // namespace inquest::rules
