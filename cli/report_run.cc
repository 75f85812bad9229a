// SPDX-License-Identifier: Apache-2.0
// Makes a report: reads the inputs, judges them, renders and writes the result.
#include <unistd.h>

#include <optional>

#include "analyzer/report/folded.h"
#include "analyzer/report/markdown_report.h"
#include "analyzer/report/nagios.h"
#include "analyzer/report/page/page.h"
#include "analyzer/report/redact/redact_report.h"
#include "analyzer/report/sarif.h"
#include "base/units.h"
#include "cli/private_file.h"
#include "cli/report_options.h"
#include "cli/verdict_file.h"

namespace inquest::cli {
namespace {

bool Exceeds(const findings::Diagnosis& diagnosis, const std::string& bar) {
  if (bar.empty()) return false;
  const auto least = bar == "error"     ? rules::Severity::kError
                     : bar == "warning" ? rules::Severity::kWarning
                                        : rules::Severity::kNote;
  for (const findings::Finding& finding : diagnosis.findings) {
    if (!finding.survived && finding.severity >= least) return true;
  }
  return false;
}

bool IsShown(const ReportOptions& options) {
  return options.output.empty();
}

report::TextStyle StyleOf(const ReportOptions& options) {
  report::TextStyle style;
  style.all = options.session.verbose;
  style.ascii = options.ascii;
  if (IsShown(options)) {
    style.colour = WantsColour(STDOUT_FILENO);
    style.width = WidthOf(STDOUT_FILENO);
    style.ascii = style.ascii || !ShowsUnicode(STDOUT_FILENO);
  }
  if (options.width >= 0) style.width = static_cast<size_t>(options.width);
  return style;
}

bool HasChart(const ReportOptions& options) {
  return !options.nagios &&
         (options.format == "text" || options.format == "markdown");
}

// Noted beside the replay of the diagnosis: another pass takes as long.
size_t PointsFor(const ReportOptions& options) {
  if (options.format == "html") return report::kTimelinePoints;
  return HasChart(options) ? report::kChartPoints : 0;
}

void AddCurve(Session* session, report::ReportInput* input) {
  auto curve = report::ReadMemoryCurve(&session->store(), *input);
  // Without the picture the report says the same.
  if (curve.ok()) input->curve = curve.Take();
}

Expected<std::string> RenderAs(const ReportOptions& options, Session* session,
                               const report::ReportInput& input,
                               report::Redactor* redactor) {
  const std::string& format = options.format;
  facts::Store* store = &session->store();
  if (format == "html") return report::HtmlPage(input, store, redactor);
  if (format == "json") return report::JsonReport(input, 2);
  if (format == "ndjson") return report::JsonReport(input, -1);
  if (format == "sarif") return report::SarifReport(input);
  if (format == "markdown") {
    return report::MarkdownReport(input, redactor != nullptr,
                                  options.session.verbose);
  }
  if (format == "folded") {
    return report::FoldedStacks(store, options.weight, redactor);
  }
  if (options.nagios) return report::NagiosLine(*input.diagnosis);
  return report::TextReport(input, StyleOf(options));
}

Expected<std::string> Render(const ReportOptions& options, Session* session) {
  const Progress progress("writing the report");
  report::ReportInput input = session->Report();
  if (HasChart(options)) AddCurve(session, &input);
  if (!options.redact) return RenderAs(options, session, input, nullptr);
  report::Redactor redactor;
  report::LearnNames(&session->store(), input, &redactor);
  const report::RedactedReport redacted = report::Redact(input, &redactor);
  return RenderAs(options, session, redacted.input, &redactor);
}

void Show(const ReportOptions& options, const std::string& text) {
  if (options.format == "html") {
    PrintAsItIs(text);
  } else if (options.format == "text" && WantsColour(STDOUT_FILENO)) {
    PrintInColour(text);
  } else {
    Print(text);
  }
}

Status Write(const ReportOptions& options, const std::string& text) {
  if (options.format == "html") return WritePrivateFile(options.output, text);
  return WriteFile(options.output, PrintableLines(text));
}

// Checked before minutes of reading, not after.
Status MayWrite(const ReportOptions& options) {
  const bool page = options.format == "html" && !IsShown(options);
  return page ? MayReplace(options.output) : Status::Ok();
}

// Reads and judges; the exit code of what failed, if anything did.
int Judge(const ReportOptions& options, std::optional<Session>* judged) {
  auto session = Session::Open(options.session);
  if (!session.ok()) return Fail(session.status());
  if (Status status = session->Diagnose(); !status.ok()) return Fail(status);
  Say(session->diagnostics());
  judged->emplace(session.Take());
  return kDone;
}

// A monitoring plugin has only four exit codes, whatever fails.
int RunAsPlugin(const ReportOptions& options) {
  std::optional<Session> session;
  Judge(options, &session);
  if (session) {
    const auto state = report::NagiosStateOf(session->diagnosis());
    const bool read_all = session->exit_code() == kDone;
    const auto line = Render(options, &*session);
    // Some of the inputs may show that something is wrong, but not that all is
    // well.
    if (line.ok() && (read_all || state == report::NagiosState::kCritical)) {
      Print(*line);
      return static_cast<int>(state);
    }
  }
  Print(report::NagiosLine("the run could not be read as a whole"));
  return static_cast<int>(report::NagiosState::kUnknown);
}

}  // namespace

int RunReport(ReportOptions options) {
  if (Status fit = CompleteOptions(&options); !fit.ok()) return Fail(fit);
  if (options.nagios) return RunAsPlugin(options);
  if (Status may = MayWrite(options); !may.ok()) return Fail(may);
  options.session.timeline_points = PointsFor(options);
  options.session.timeline_categories = options.format == "html";
  options.session.site_stacks =
      options.format == "html" || options.format == "folded";
  std::optional<Session> session;
  if (const int failed = Judge(options, &session); !session) return failed;
  const auto text = Render(options, &*session);
  if (!text.ok()) return Fail(text.status());
  if (IsShown(options)) {
    Show(options, *text);
  } else if (Status status = Write(options, *text); !status.ok()) {
    return Fail(status);
  }
  if (Status status = WriteVerdict(options.verdict, session->diagnosis());
      !status.ok()) {
    return Fail(status);
  }
  if (session->exit_code() != kDone) return session->exit_code();
  return Exceeds(session->diagnosis(), options.fail_on) ? kNo : kDone;
}

}  // namespace inquest::cli
