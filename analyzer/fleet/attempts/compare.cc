// SPDX-License-Identifier: Apache-2.0
#include "analyzer/fleet/attempts/compare.h"

#include <algorithm>

namespace inquest::fleet {
namespace {

Same Compared(const OptionalText& a, const OptionalText& b) {
  if (!a || !b) return Same::kUnknown;
  return *a == *b ? Same::kYes : Same::kNo;
}

}  // namespace

bool SameRoot(const VerdictRow& a, const VerdictRow& b) {
  if (a.cause != b.cause) return false;
  if (a.cause != "unknown") return true;
  return a.log_template && a.log_template == b.log_template;
}

Same SameUnit(const UnitColumns& a, const UnitColumns& b) {
  if (const Same gpu = Compared(a.gpu, b.gpu); gpu != Same::kUnknown) {
    return gpu;
  }
  const Same host = Compared(a.host, b.host);
  if (host == Same::kYes && a.device && b.device && a.device != b.device) {
    return Same::kNo;
  }
  return host;
}

Progress Between(const RunRow& before, const RunRow& after) {
  const bool named = before.steps_from == "log" && after.steps_from == "log";
  if (!named || !before.last_step || !after.last_step) {
    return Progress::kUnknown;
  }
  if (*after.last_step == *before.last_step) return Progress::kSameStep;
  const bool anew = after.first_step <= before.first_step;
  return *after.last_step > *before.last_step && !anew ? Progress::kFurther
                                                       : Progress::kNone;
}

std::string UnitText(const VerdictRow& verdict) {
  const UnitColumns& unit = verdict.unit;
  std::string text;
  if (unit.gpu) {
    text = "GPU " + *unit.gpu;
  } else if (unit.device) {
    text = "GPU " + std::to_string(*unit.device);
  }
  if (unit.host) text += (text.empty() ? "node " : " of node ") + *unit.host;
  return text.empty() ? "unit unknown" : text;
}

bool SortByStart(std::vector<Result>* attempts) {
  const auto start = [](const Result& one) { return one.run.start_time; };
  if (!std::ranges::all_of(*attempts, [&](const Result& one) {
        return start(one).has_value();
      })) {
    return false;
  }
  std::ranges::stable_sort(*attempts, {}, start);
  return true;
}

}  // namespace inquest::fleet
