// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/fixes_text.h"

namespace inquest::report {

std::string CommandFor(const ReportInput& input, std::string command) {
  constexpr std::string_view kRun = " RUN ";
  const size_t at = command.find(kRun);
  if (command.starts_with("inquest ") && at != command.npos &&
      !input.arguments.empty()) {
    command.replace(at + 1, kRun.size() - 2, input.arguments);
  }
  return command;
}

std::string FixesText(const ReportInput& input,
                      const std::vector<rules::Fix>& fixes,
                      const Painter& paint) {
  if (fixes.empty()) return {};
  std::string text = paint.Bold("What to do") + "\n";
  for (size_t i = 0; i < fixes.size(); ++i) {
    text += fmt::format("  {}. {}\n", i + 1, Safe(fixes[i].text));
    if (!fixes[i].command.empty()) {
      text += fmt::format("     {}\n",
                          paint.Bold(CommandFor(input, fixes[i].command)));
    }
    if (!fixes[i].url.empty()) {
      text += fmt::format("     see {}\n", fixes[i].url);
    }
  }
  return text;
}

}  // namespace inquest::report
