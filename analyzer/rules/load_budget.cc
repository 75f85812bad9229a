#include "analyzer/rules/load_budget.h"

#include "analyzer/base/units.h"

namespace inquest::rules {
bool LoadBudget::Admit(const std::string& name, size_t bytes,
                       Diagnostics* diagnostics) {
  bytes_ += bytes;
  if (bytes_ <= limits_.bytes) return true;
  if (full_) return false;  // said already
  full_ = true;
  Diagnostic diagnostic;
  diagnostic.code = "R004";
  diagnostic.message = "the rule files are larger than " +
                       FormatBytes(static_cast<int64_t>(limits_.bytes)) +
                       " together";
  diagnostic.file = name;
  diagnostic.reason = "this file and those after it are left out";
  diagnostic.help = "give fewer rule files at a time";
  diagnostics->push_back(std::move(diagnostic));
  return false;
}

bool LoadBudget::Take(std::string_view kind, const Place& place,
                      Reporter* reporter) {
  const auto limit = limits_.definitions.find(kind);
  if (limit == limits_.definitions.end()) return true;
  const size_t number = ++taken_[std::string(kind)];
  if (number <= limit->second) return true;
  if (number == limit->second + 1) {
    reporter->Error(
        place,
        {"R004",
         "more than " + FormatCount(static_cast<int64_t>(limit->second)) + " " +
             std::string(kind),
         "this one and those after it are left out",
         "give fewer rule files at a time"});
  }
  return false;
}

}  // namespace inquest::rules
