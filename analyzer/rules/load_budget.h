// How much rule text one load takes, all files together, and how many
// definitions come of it: many files, each within the limits of one, would
// otherwise add up. Used by the loader. What goes beyond is left out with an
// error (R004); what came before, the built-in pack first, stays.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "analyzer/base/diagnostic.h"
#include "analyzer/rules/loader_report.h"
#include "analyzer/rules/model.h"

namespace inquest::rules {

struct LoadLimits {
  size_t bytes = 4u << 20;
  std::map<std::string, size_t, std::less<>> definitions = {
      {"signatures", 1500}, {"rules", 5000}, {"relations", 2500}};
};

class LoadBudget {
 public:
  explicit LoadBudget(LoadLimits limits = {}) : limits_(std::move(limits)) {}

  // Whether the file may still be read.
  bool Admit(const std::string& name, size_t bytes, Diagnostics* diagnostics);
  // Whether one more of this kind ("rules"), which stands there, may be.
  bool Take(std::string_view kind, const Place& place, Reporter* reporter);

 private:
  LoadLimits limits_;
  size_t bytes_ = 0;
  bool full_ = false;
  std::map<std::string, size_t, std::less<>> taken_;
};

}  // namespace inquest::rules
