// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "analyzer/report/whatif_report.h"
#include "base/units.h"

namespace inquest::report {
namespace {

using whatif::Answer;
using whatif::Change;
using whatif::ChangeKind;
using whatif::History;
using whatif::Level;

using Cells = std::array<std::string, 5>;

std::string Signed(int64_t bytes) {
  return FormatBytes(std::abs(bytes)) + (bytes < 0 ? " missing" : " left");
}

std::string Counted(int64_t count, const char* what) {
  return FormatCount(count) + " " + what + (count == 1 ? "" : "s");
}

std::string Head(const History& history) {
  std::string text =
      fmt::format("GPU {}, process {}: {} to {}", history.device,
                  history.process, Counted(history.allocations, "request"),
                  history.level == Level::kDriver ? "the driver"
                  : history.torch                 ? "PyTorch's allocator"
                                  : "the framework's allocator");
  if (!history.before.empty()) {
    text += ", " +
            Counted(static_cast<int64_t>(history.before.size()), "block") +
            " live before";
  }
  if (history.steps > 0) text += ", " + Counted(history.steps, "step");
  return text + "\n";
}

std::string RoomLine(const History& history) {
  const whatif::Room& room = history.room;
  if (!room.bytes) {
    return "  room for them: not recorded" +
           (room.total ? "; the device has " + FormatBytes(*room.total) : "") +
           "\n";
  }
  std::string text = fmt::format("  room for them: {} ({})",
                                 FormatBytes(*room.bytes), room.source);
  if (room.one_piece) {
    text += "; this driver wants large requests in one piece";
  }
  return text + "\n";
}

std::string Percent(int64_t model, int64_t recorded) {
  const double error = recorded == 0
                           ? 0
                           : 100.0 * static_cast<double>(model - recorded) /
                                 static_cast<double>(recorded);
  return fmt::format("{:+.2f} %", error);
}

std::string CheckLines(const History& history, const Answer& answer) {
  const whatif::Check& check = answer.check;
  const whatif::Recorded& recorded = history.recorded;
  std::string text;
  if (answer.changes.empty() && !answer.withheld) return text;
  const auto line = [&](const char* what, std::optional<int64_t> model,
                        std::optional<int64_t> truth) {
    if (!model || !truth) return;
    text += fmt::format("  {}: recorded {}, model {} ({})\n", what,
                        FormatBytes(*truth), FormatBytes(*model),
                        Percent(*model, *truth));
  };
  line("peak reserved", check.peak_reserved, recorded.peak_reserved);
  line("reserved at the end", check.reserved_at_end, recorded.reserved_at_end);
  if (check.segments_at_end && recorded.segments_at_end) {
    text += fmt::format("  segments at the end: recorded {}, model {}\n",
                        *recorded.segments_at_end, *check.segments_at_end);
  }
  line("  from scratch, peak reserved", check.fresh_peak_reserved,
       recorded.peak_reserved);
  if (check.refuses_the_same) {
    text += *check.refuses_the_same
                ? "  the model refuses the same request as the record\n"
                : "  the model does not refuse the request that the record "
                  "refuses\n";
  }
  return text;
}

// Whether an estimate's assumptions decide if the run survives.
bool IsOpen(const Change& change) {
  return change.possibly.value_or(false) && !change.surely.value_or(true);
}

// A leak goes on, and what came after the request that the run died of is
// known only where it is known what a step needs.
std::string Verdict(const History& history, const Change& change) {
  if (!change.survives) return change.refused ? "no" : "-";
  if (change.more_steps.value_or(0) > 0) {
    return "no, " + Counted(*change.more_steps, "more step");
  }
  if (IsOpen(change)) return "perhaps";
  if (!*change.survives) return "no";
  std::string text =
      history.died && history.steps == 0 ? "this request" : "yes";
  if (change.estimate) text += " (estimate)";
  return text;
}

std::string Ranged(int64_t bytes, std::optional<int64_t> least,
                   std::optional<int64_t> most) {
  if (!least || !most) return FormatBytes(bytes);
  return fmt::format("{} ({} to {})", FormatBytes(bytes), FormatBytes(*least),
                     FormatBytes(*most));
}

Cells Row(const History& history, const Change& change) {
  return {
      Printable(change.name), Verdict(history, change),
      Ranged(change.peak_reserved, change.least_reserved, change.most_reserved),
      FormatBytes(change.peak_allocated),
      change.margin
          ? Signed(*change.margin)
          : (history.died_unmeasured() ? "needs more than " : "needs ") +
                FormatBytes(change.needed.value_or(0))};
}

std::string Table(const History& history, const std::vector<Change>& changes) {
  std::vector<Cells> rows = {
      {"change", "survives", "peak reserved", "allocated", "left or missing"}};
  for (const Change& change : changes) rows.push_back(Row(history, change));
  std::array<size_t, 5> widths = {};
  for (const Cells& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const Cells& row : rows) {
    std::string line = "  ";
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] + 2 - row[i].size(), ' ');
    }
    text += line + "\n";
  }
  return text;
}

std::string NoneSaves(const Answer& answer) {
  std::string open;
  for (const Change& change : answer.changes) {
    if (!IsOpen(change)) continue;
    open += (open.empty() ? "" : ", ") + Printable(change.name);
  }
  return open.empty()
             ? "No single change that was tried would have let the run "
               "survive.\n"
             : "No single change that was tried is sure to have let the run "
               "survive; perhaps: " +
                   open + ".\n";
}

// Changes that save a run that died: changes of settings first, then by the
// memory left.
std::string Advice(const History& history, const Answer& answer,
                   bool wanted_memory) {
  if (answer.changes.empty()) return "";
  if (answer.changes.front().survives.value_or(true)) return "";
  std::vector<const Change*> saving;
  for (const Change& change : answer.changes) {
    if (change.helps) saving.push_back(&change);
  }
  if (saving.empty()) return wanted_memory ? NoneSaves(answer) : "";
  std::stable_sort(saving.begin(), saving.end(),
                   [](const Change* a, const Change* b) {
                     if (a->kind != b->kind) return a->kind < b->kind;
                     return a->margin.value_or(0) > b->margin.value_or(0);
                   });
  std::string text =
      !wanted_memory
          ? "Each of these alone would have granted the request that was "
            "refused, of which the run did not die:\n"
      : history.died && history.steps == 0
          ? "Each of these alone would have granted the request that the run "
            "died of; what it would have requested next is not recorded:\n"
          : "Each of these alone would have let the run survive:\n";
  for (const Change* change : saving) {
    text += fmt::format("  {}: {}", change->name,
                        Signed(change->margin.value_or(0)));
    if (!change->setting.empty())
      text += "\n     " + Printable(change->setting);
    if (!change->assumption.empty()) {
      text += "\n     assumed: " + change->assumption;
    }
    text += "\n";
  }
  return text;
}

// What all answers rest on.
std::string Preface(const WhatifReport& report) {
  std::string text;
  for (const std::string& sentence : report.missing) text += sentence + ".\n";
  if (report.WantedMemory()) return text;
  text += report.cause == "none" ? "The run did not die"
          : report.cause == "unknown"
              ? "Why the run ended is not known"
              : "The verdict is " + report.cause + ", no want of GPU memory";
  return text +
         ": here, to survive means only that what it requested is granted.\n";
}

}  // namespace

std::string WhatifText(const WhatifReport& report) {
  std::string text = Preface(report);
  bool first = true;
  for (const WhatifOfDevice& one : report.devices) {
    if (!std::exchange(first, false)) text += "\n";
    text += Head(one.history) + RoomLine(one.history);
    text += CheckLines(one.history, one.answer);
    if (!one.history.note.empty())
      text += "  note: " + Printable(one.history.note) + "\n";
    if (!one.answer.changes.empty()) {
      text += Table(one.history, one.answer.changes);
    }
    text += Advice(one.history, one.answer, report.WantedMemory());
    for (const std::string& why : one.answer.untried) {
      text += "Not tried: " + why + ".\n";
    }
  }
  return text;
}

}  // namespace inquest::report
