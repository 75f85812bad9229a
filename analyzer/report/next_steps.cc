// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/next_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/display_width.h"

namespace inquest::report {
namespace {

// Whether the replay has a refused request to try other settings on.
bool HasRefusal(const ReportInput& input) {
  return !input.diagnosis->replay_withheld &&
         input.diagnosis->verdict.cause.starts_with("memory/") &&
         std::ranges::any_of(
             input.summary.devices,
             [](const DeviceSummary& one) { return one.failed > 0; });
}

struct Command {
  const char* name;
  std::string rest;
  std::string why;
};

// The reason only where it fits: the commands speak for themselves.
std::string Line(const ReportInput& input, const Command& command,
                 size_t width) {
  std::string line = fmt::format("     inquest {} {}{}", command.name,
                                 Safe(input.arguments), command.rest);
  const std::string why = "   # " + command.why;
  if (DisplayWidth(line + why) <= width) line += why;
  return line + "\n";
}

std::string WhatElse(const NotShown& not_shown) {
  std::string what;
  if (not_shown.figures > 0) {
    what = fmt::format("{} more figure{}", not_shown.figures,
                       not_shown.figures == 1 ? "" : "s");
  }
  if (not_shown.other_things) {
    what += what.empty() ? "what is left out" : " and what is left out";
  }
  return what;
}

std::vector<Command> CommandsFor(const ReportInput& input,
                                 const NotShown& not_shown) {
  const findings::Verdict& verdict = input.diagnosis->verdict;
  std::vector<Command> commands;
  if (HasRefusal(input)) {
    commands.push_back({"whatif", "", "which setting would have let it live"});
  } else if (verdict.finding) {
    const std::string& id = input.diagnosis->findings[*verdict.finding].id;
    commands.push_back({"explain", " " + id, "its rivals, and why they lost"});
  }
  if (verdict.cause != "none") {
    commands.push_back({"report", " -o page.html", "a page for the ticket"});
  }
  const std::string more = WhatElse(not_shown);
  if (!more.empty()) commands.push_back({"diagnose", " -v", more});
  return commands;
}

}  // namespace

std::string NextSteps(const ReportInput& input, const NotShown& not_shown,
                      size_t width, const Painter& paint) {
  if (input.arguments.empty()) return {};
  std::string text;
  for (const Command& command : CommandsFor(input, not_shown)) {
    text += Line(input, command, width);
  }
  return text.empty() ? text : paint.Bold("Next") + "\n" + text;
}

}  // namespace inquest::report
