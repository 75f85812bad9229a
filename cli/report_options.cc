// SPDX-License-Identifier: Apache-2.0
#include "cli/report_options.h"

#include <array>
#include <filesystem>
#include <utility>

#include "cli/redact_option.h"

namespace inquest::cli {
namespace {

constexpr int64_t kWidest = 10'000;

constexpr std::array<std::pair<std::string_view, std::string_view>, 11>
    kEndings = {{{".html", "html"},
                 {".htm", "html"},
                 {".json", "json"},
                 {".ndjson", "ndjson"},
                 {".jsonl", "ndjson"},
                 {".txt", "text"},
                 {".md", "markdown"},
                 {".markdown", "markdown"},
                 {".sarif", "sarif"},
                 {".folded", "folded"},
                 {".collapsed", "folded"}}};

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
      .OneOf({"text", "json", "ndjson", "markdown", "html", "sarif", "folded"});
  command.Flag(
      "-v,--verbose", &options->session.verbose,
      "Of text and Markdown: every figure; of the text: every finding and "
      "piece of evidence, too, and of which rank or node each log is, and why");
  command
      .Takes("--width", &options->width,
             "Of the text: columns of a line, 0 for any number (default: the "
             "terminal's)")
      .Between(0, kWidest);
  command.Flag("--ascii", &options->ascii,
               "Of the text: no characters beyond ASCII of our own");
  AddRedactOption(command, &options->redact);
  command.Flag("--no-redact", &options->no_redact,
               "Of Markdown, which is redacted otherwise: say all");
  command
      .Takes("--weight", &options->weight,
             "Of folded stacks: bytes live at the end (default), bytes at the "
             "peak, or the number of allocations")
      .OneOf({"live", "peak", "count"});
  command.Flag("--nagios", &options->nagios,
               "One line and the exit code of a monitoring plugin: 0 OK, 1 "
               "warning, 2 critical, 3 unknown");
  command
      .Takes("--fail-on", &options->fail_on,
             "Exit with 1 if a finding is at least this severe")
      .OneOf({"note", "warning", "error"});
}

void AddOutputOptions(Command command, ReportOptions* options) {
  command
      .Takes("-o,--output", &options->output,
             "File to write to; - is standard output")
      .Called("FILE");
  command
      .Takes("--verdict", &options->verdict,
             "File for the verdict in one line, such as /dev/termination-log")
      .Called("FILE");
}

Status CompleteOptions(ReportOptions* options) {
  if (options->output == "-") options->output.clear();
  if (options->format.empty()) options->format = FormatOfFile(options->output);
  if (options->format.empty()) options->format = options->usual_format;
  const bool tells = options->format != "markdown" && options->session.verbose;
  RETURN_IF_ERROR(OnlyIn(*options, tells, "-v", "text"));
  RETURN_IF_ERROR(OnlyIn(*options, options->width >= 0, "--width", "text"));
  RETURN_IF_ERROR(OnlyIn(*options, options->ascii, "--ascii", "text"));
  RETURN_IF_ERROR(
      OnlyIn(*options, !options->weight.empty(), "--weight", "folded"));
  RETURN_IF_ERROR(
      OnlyIn(*options, options->no_redact, "--no-redact", "markdown"));
  RETURN_IF_ERROR(OnlyIn(*options, options->nagios, "--nagios", "text"));
  if (options->redact && options->no_redact) {
    return Usage("--redact and --no-redact are opposites")
        .WithHint("leave out one of them");
  }
  const bool other = options->session.verbose || options->ascii ||
                     options->width >= 0 || !options->fail_on.empty() ||
                     !options->output.empty();
  if (options->nagios && other) {
    return Usage("--nagios prints one line and has exit codes of its own")
        .WithHint("leave out -v, --width, --ascii, --fail-on and -o");
  }
  options->redact =
      options->redact || (options->format == "markdown" && !options->no_redact);
  return Status::Ok();
}

}  // namespace inquest::cli
