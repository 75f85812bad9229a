#include "analyzer/rules/load_budget.h"

#include "analyzer/base/units.h"

namespace inquest::rules {
namespace {

template <typename T>
void TrimList(std::vector<T>* list, size_t most, const char* what,
              Reporter* reporter) {
  if (list->size() <= most) return;
  const std::string number = FormatCount(static_cast<int64_t>(most));
  reporter->Error((*list)[most].place,
                  {"R004", "more than " + number + " " + what,
                   "this one and those after it are left out",
                   "give fewer rule files at a time"});
  list->resize(most);
}

}  // namespace

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

void LoadBudget::Trim(RuleSet* set, Reporter* reporter) const {
  TrimList(&set->signatures, limits_.signatures, "signatures", reporter);
  TrimList(&set->rules, limits_.rules, "rules", reporter);
  TrimList(&set->relations, limits_.relations, "relations", reporter);
}

}  // namespace inquest::rules
