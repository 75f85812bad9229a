// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analyzer/fleet/attempts/attempts.h"
#include "base/json_text.h"
#include "base/units.h"

namespace inquest::fleet {
namespace {

using nlohmann::ordered_json;

const char* Word(Same same) {
  return same == Same::kYes ? "yes" : same == Same::kNo ? "no" : "unknown";
}

const char* Word(Progress progress) {
  switch (progress) {
    case Progress::kSameStep:
      return "same step";
    case Progress::kFurther:
      return "further each time";
    case Progress::kNone:
      return "none that lasts";
    default:
      return "unknown";
  }
}

const char* Word(Retry retry) {
  switch (retry) {
    case Retry::kWillHelp:
      return "will help";
    case Retry::kWillNotHelp:
      return "will not help";
    default:
      return "cannot tell";
  }
}

template <class T>
ordered_json OrNull(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json AttemptJson(const Result& one) {
  return {{"source", one.run.source},
          {"job", OrNull(one.run.job)},
          {"start_time", OrNull(one.run.start_time)},
          {"end_time", OrNull(one.run.end_time)},
          {"cause", one.verdict.cause},
          {"summary", OrNull(one.verdict.summary)},
          {"host", OrNull(one.verdict.unit.host)},
          {"device", OrNull(one.verdict.unit.device)},
          {"gpu", OrNull(one.verdict.unit.gpu)},
          {"first_step", OrNull(one.run.first_step)},
          {"last_step", OrNull(one.run.last_step)},
          {"steps_from", OrNull(one.run.steps_from)}};
}

// "step 430", "step 430 from the start of the process", "steps unknown".
std::string StepText(const RunRow& run) {
  if (!run.last_step) return "steps unknown";
  if (run.steps_from == "log") return fmt::format("step {}", *run.last_step);
  return fmt::format("{} {}", *run.last_step,
                     run.steps_from == "bar" ? "on its progress bar"
                                             : "steps after its start");
}

std::string AttemptLine(size_t number, const Result& one) {
  const RunRow& run = one.run;
  std::string when = "start unknown";
  if (run.start_time) when = FormatTime(*run.start_time).substr(0, 16);
  if (run.start_time && run.end_time) {
    when += ", " + FormatDuration(*run.end_time - *run.start_time);
  }
  const bool well = one.verdict.cause == "none";
  return fmt::format("  {}  {}  {}{}, {}\n     {}\n", number, when,
                     one.verdict.cause,
                     well ? "" : " on " + UnitText(one.verdict), StepText(run),
                     Printable(run.source, 200));
}

}  // namespace

std::string AttemptsJson(const std::vector<Result>& attempts, bool ordered,
                         const Judgement& judgement) {
  ordered_json all = {{"schema", "inquest.attempts/1"},
                      {"retry", Word(judgement.retry)},
                      {"reason", judgement.reason},
                      {"same_root", judgement.alike},
                      {"same_unit", Word(judgement.unit)},
                      {"progress", Word(judgement.progress)},
                      {"unknown", judgement.unknown},
                      {"order_by", ordered ? "start time" : "as given"},
                      {"attempts", ordered_json::array()}};
  for (const Result& one : attempts) {
    all["attempts"].push_back(AttemptJson(one));
  }
  return JsonText(all, 2) + "\n";
}

std::string AttemptsText(const std::vector<Result>& attempts, bool ordered,
                         const Judgement& judgement) {
  std::string text =
      fmt::format("{}: {}\n",
                  judgement.retry == Retry::kCannotTell
                      ? "Whether a retry will help is unknown"
                      : std::string("A retry ") + Word(judgement.retry),
                  Printable(judgement.reason));
  text += ordered ? "Attempts, by their start\n"
                  : "Attempts, as given: not all of them say when they began\n";
  for (size_t i = 0; i < attempts.size(); ++i) {
    text += AttemptLine(i + 1, attempts[i]);
  }
  if (judgement.alike >= 2) {
    text += fmt::format(
        "The last {} have the same root; same unit: {}; "
        "progress: {}\n",
        judgement.alike, Word(judgement.unit), Word(judgement.progress));
  }
  for (const std::string& one : judgement.unknown) {
    text += "Not known: " + one + "\n";
  }
  return text;
}

}  // namespace inquest::fleet
