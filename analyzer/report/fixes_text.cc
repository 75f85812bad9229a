// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/fixes_text.h"

#include <algorithm>

#include "analyzer/report/report_words.h"

namespace inquest::report {

std::string CommandFor(const ReportInput& input, std::string command) {
  constexpr std::string_view kRun = " RUN";
  const size_t at = command.find(kRun);
  const bool names_run =
      command.starts_with("inquest ") && at != command.npos &&
      command.find_first_not_of(' ', at + kRun.size()) != at + kRun.size();
  if (names_run && !input.arguments.empty()) {
    command.replace(at + 1, kRun.size() - 1, input.arguments);
  }
  return command;
}

std::string FixesText(const ReportInput& input,
                      const std::vector<rules::Fix>& fixes, size_t most,
                      const Painter& paint) {
  if (fixes.empty()) return {};
  const size_t shown = std::min(most, fixes.size());
  std::string text = paint.Bold("What to do") + "\n";
  for (size_t i = 0; i < shown; ++i) {
    text += fmt::format("  {}. {}\n", i + 1, Safe(fixes[i].text));
    if (!fixes[i].command.empty()) {
      text += fmt::format("     {}\n",
                          paint.Bold(CommandFor(input, fixes[i].command)));
    }
    if (!fixes[i].url.empty()) {
      text += fmt::format("     see {}\n", fixes[i].url);
    }
  }
  return text + More(shown, fixes.size());
}

}  // namespace inquest::report
