// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analyzer/fleet/attempts/attempts.h"
#include "analyzer/fleet/attempts/cause_kinds.h"
#include "analyzer/fleet/attempts/compare.h"

namespace inquest::fleet {
namespace {

// What holds between each two neighbours of the last `count`.
template <class T, class Compare>
T OfAll(const std::vector<Result>& all, int64_t count, T unknown, T mixed,
        const Compare& compare) {
  T found = unknown;
  for (size_t i = all.size() - static_cast<size_t>(count) + 1; i < all.size();
       ++i) {
    const T one = compare(all[i - 1], all[i]);
    if (one == unknown) return unknown;
    if (found != unknown && one != found) return mixed;
    found = one;
  }
  return found;
}

void Decide(Retry retry, std::string reason, Judgement* judgement) {
  judgement->retry = retry;
  judgement->reason = std::move(reason);
}

std::string StepsText(const std::vector<Result>& all, int64_t count) {
  std::string text;
  for (size_t i = all.size() - static_cast<size_t>(count); i < all.size();
       ++i) {
    text +=
        (text.empty() ? "" : ", then ") + std::to_string(*all[i].run.last_step);
  }
  return text;
}

// One attempt, or a root that the one before did not have.
void JudgeNew(const std::vector<Result>& all, Judgement* judgement) {
  const VerdictRow& last = all.back().verdict;
  const CauseKind kind = KindOfCause(last.cause);
  if (kind == CauseKind::kOutside) {
    Decide(Retry::kWillHelp,
           last.cause +
               " came from outside; nothing in the run asks for it to "
               "come again",
           judgement);
  } else if (all.size() == 1) {
    Decide(Retry::kCannotTell,
           kind == CauseKind::kProgram
               ? "there is only one attempt; " + last.cause +
                     " lies in the program, its settings or data, so expect "
                     "it again unless one of them changes"
               : "there is only one attempt to go by",
           judgement);
  } else {
    Decide(Retry::kCannotTell,
           fmt::format("the root is a new one: {}, after {}", last.cause,
                       all[all.size() - 2].verdict.cause),
           judgement);
  }
}

void BlameProgram(const VerdictRow& last, Judgement* judgement) {
  Decide(
      Retry::kWillNotHelp,
      last.cause + " again, and it lies in the program, its settings or data",
      judgement);
}

// The same root on the same unit.
void JudgeSameUnit(const VerdictRow& last, Judgement* judgement) {
  const std::string unit = UnitText(last);
  if (KindOfCause(last.cause) == CauseKind::kProgram) {
    return BlameProgram(last, judgement);
  }
  Decide(Retry::kWillNotHelp,
         fmt::format("{} {} times in a row on the same unit, {}: keep the next "
                     "attempt off it",
                     last.cause, judgement->alike, unit),
         judgement);
}

// Of the last ones, how many failed where the last one did.
int64_t TimesOnLastUnit(const std::vector<Result>& all, int64_t count) {
  const UnitColumns& last = all.back().verdict.unit;
  return std::count_if(all.end() - count, all.end(), [&](const Result& one) {
    return SameUnit(one.verdict.unit, last) == Same::kYes;
  });
}

void JudgeOtherUnits(const std::vector<Result>& all, Judgement* judgement) {
  const VerdictRow& last = all.back().verdict;
  if (KindOfCause(last.cause) != CauseKind::kMachine) {
    return Decide(Retry::kWillNotHelp,
                  last.cause +
                      " on other units too: it is the software or "
                      "its settings, not a machine",
                  judgement);
  }
  const int64_t times = TimesOnLastUnit(all, judgement->alike);
  if (times > 1) {
    return Decide(Retry::kWillNotHelp,
                  fmt::format("{} {} times on {}: keep the next attempt off it",
                              last.cause, times, UnitText(last)),
                  judgement);
  }
  Decide(Retry::kWillHelp,
         last.cause + " on another unit than before: a sound one can be found",
         judgement);
}

void JudgeUnknownUnit(const VerdictRow& last, Judgement* judgement) {
  if (KindOfCause(last.cause) == CauseKind::kProgram) {
    return BlameProgram(last, judgement);
  }
  const bool machine = KindOfCause(last.cause) == CauseKind::kMachine;
  Decide(Retry::kCannotTell,
         last.cause +
             " again, and it is not known whether on the same unit: if it was, "
             "the unit is to be avoided; if not, " +
             (machine ? "a sound one can be found" : "it is the software"),
         judgement);
}

void JudgeAgain(const std::vector<Result>& all, Judgement* judgement) {
  const VerdictRow& last = all.back().verdict;
  const bool machine = KindOfCause(last.cause) == CauseKind::kMachine;
  if (KindOfCause(last.cause) == CauseKind::kOutside) {
    return Decide(judgement->progress == Progress::kFurther
                      ? Retry::kWillHelp
                      : Retry::kCannotTell,
                  judgement->progress == Progress::kFurther
                      ? "each attempt came further: steps " +
                            StepsText(all, judgement->alike)
                      : last.cause +
                            " again, from outside the run: ask who "
                            "or what ends it",
                  judgement);
  }
  if (judgement->progress == Progress::kSameStep && !machine) {
    return Decide(
        Retry::kWillNotHelp,
        fmt::format("{} at the same step {} each time{}", last.cause,
                    *all.back().run.last_step,
                    judgement->unit == Same::kNo ? ", on different units" : ""),
        judgement);
  }
  if (judgement->progress == Progress::kFurther && !machine) {
    return Decide(Retry::kWillHelp,
                  fmt::format("each attempt came further (steps {}), though "
                              "each died of {}: expect that again, later",
                              StepsText(all, judgement->alike), last.cause),
                  judgement);
  }
  if (judgement->unit == Same::kYes) return JudgeSameUnit(last, judgement);
  if (judgement->unit == Same::kNo) return JudgeOtherUnits(all, judgement);
  JudgeUnknownUnit(last, judgement);
}

int64_t Alike(const std::vector<Result>& all) {
  int64_t alike = 1;
  for (size_t i = all.size() - 1; i > 0; --i) {
    if (!SameRoot(all[i - 1].verdict, all[i].verdict)) break;
    ++alike;
  }
  return alike;
}

void NameUnknown(const VerdictRow& last, Judgement* judgement) {
  if (judgement->alike < 2) return;
  if (judgement->unit == Same::kUnknown) {
    judgement->unknown.push_back(
        "on which GPU or node each attempt failed: record them (inquest "
        "record), or give the kernel's logs");
  }
  if (judgement->progress == Progress::kUnknown) {
    judgement->unknown.push_back(
        "how far each attempt came: no log names its steps in all of them");
  }
  if (last.cause == "unknown") {
    judgement->unknown.push_back("the root itself: only its wording repeats");
  }
}

}  // namespace

Judgement Judge(const std::vector<Result>& attempts) {
  Judgement judgement;
  const VerdictRow& last = attempts.back().verdict;
  judgement.alike = Alike(attempts);
  if (last.cause == "none") {
    Decide(Retry::kCannotTell, "the last attempt ended well: none is needed",
           &judgement);
    return judgement;
  }
  judgement.unit = OfAll(attempts, judgement.alike, Same::kUnknown, Same::kNo,
                         [](const Result& a, const Result& b) {
                           return SameUnit(a.verdict.unit, b.verdict.unit);
                         });
  judgement.progress = OfAll(
      attempts, judgement.alike, Progress::kUnknown, Progress::kNone,
      [](const Result& a, const Result& b) { return Between(a.run, b.run); });
  if (judgement.alike >= 2) {
    JudgeAgain(attempts, &judgement);
  } else if (last.cause == "unknown") {
    Decide(Retry::kCannotTell, "what ended the last attempt is not known",
           &judgement);
  } else {
    JudgeNew(attempts, &judgement);
  }
  NameUnknown(last, &judgement);
  return judgement;
}

}  // namespace inquest::fleet
