// SPDX-License-Identifier: Apache-2.0
#include "cli/report_options.h"

#include <array>
#include <filesystem>
#include <utility>

namespace inquest::cli {
namespace {

constexpr int64_t kWidest = 10'000;

constexpr std::array<std::pair<std::string_view, std::string_view>, 6>
    kEndings = {{{".html", "html"},
                 {".htm", "html"},
                 {".json", "json"},
                 {".ndjson", "ndjson"},
                 {".jsonl", "ndjson"},
                 {".txt", "text"}}};

std::string FormatOfFile(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension();
  for (const auto& [known, format] : kEndings) {
    if (ending == known) return std::string(format);
  }
  return {};
}

// An option that another format would ignore.
Status OnlyIn(const ReportOptions& options, bool given, const char* option,
              const char* format) {
  if (!given || options.format == format) return Status::Ok();
  return Usage(std::string(option) + " is for --format " + format +
               ", and this report is made as " + options.format)
      .WithHint("leave it out, or choose that format");
}

}  // namespace

void AddReportOptions(Command command, ReportOptions* options) {
  command
      .Takes("--format", &options->format,
             "What to write (default: as the name of the file ends, else " +
                 options->usual_format + ")")
      .OneOf({"text", "json", "ndjson", "html"});
  command.Flag("-v,--verbose", &options->all,
               "Of the text: every figure, finding and piece of evidence");
  command
      .Takes("--width", &options->width,
             "Of the text: columns of a line, 0 for any number (default: the "
             "terminal's)")
      .Between(0, kWidest);
  command.Flag("--ascii", &options->ascii,
               "Of the text: no characters beyond ASCII of our own");
  command
      .Takes("--fail-on", &options->fail_on,
             "Exit with 1 if a finding is at least this severe")
      .OneOf({"note", "warning", "error"});
}

Status CompleteOptions(ReportOptions* options) {
  if (options->output == "-") options->output.clear();
  if (options->format.empty()) options->format = FormatOfFile(options->output);
  if (options->format.empty()) options->format = options->usual_format;
  RETURN_IF_ERROR(OnlyIn(*options, options->all, "-v", "text"));
  RETURN_IF_ERROR(OnlyIn(*options, options->width >= 0, "--width", "text"));
  return OnlyIn(*options, options->ascii, "--ascii", "text");
}

}  // namespace inquest::cli
