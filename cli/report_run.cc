// SPDX-License-Identifier: Apache-2.0
// How a report comes about: read, judged, told, written.
#include <unistd.h>

#include "analyzer/report/page/page.h"
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
  style.all = options.all;
  style.ascii = options.ascii;
  if (IsShown(options)) {
    style.colour = WantsColour(STDOUT_FILENO);
    style.width = WidthOf(STDOUT_FILENO);
    style.ascii = style.ascii || !ShowsUnicode(STDOUT_FILENO);
  }
  if (options.width >= 0) style.width = static_cast<size_t>(options.width);
  return style;
}

std::string Text(const ReportOptions& options, Session* session,
                 report::ReportInput* input) {
  auto curve = report::ReadMemoryCurve(&session->store(), *input->diagnosis,
                                       input->summary);
  // Without the picture the report says the same.
  if (curve.ok()) input->curve = curve.Take();
  return report::TextReport(*input, StyleOf(options));
}

Expected<std::string> Render(const ReportOptions& options, Session* session) {
  const Progress progress("writing the report");
  report::ReportInput input = session->Report();
  if (options.format == "html") {
    return report::HtmlPage(input, &session->store());
  }
  if (options.format == "json") return report::JsonReport(input, 2);
  if (options.format == "ndjson") return report::JsonReport(input, -1);
  return Text(options, session, &input);
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

// Before minutes of reading, not after.
Status MayWrite(const ReportOptions& options) {
  const bool page = options.format == "html" && !IsShown(options);
  return page ? MayReplace(options.output) : Status::Ok();
}

}  // namespace

int RunReport(ReportOptions options) {
  if (Status fit = CompleteOptions(&options); !fit.ok()) return Fail(fit);
  if (Status may = MayWrite(options); !may.ok()) return Fail(may);
  auto session = Session::Open(options.session);
  if (!session.ok()) return Fail(session.status());
  if (Status status = session->Diagnose(); !status.ok()) return Fail(status);
  Say(session->diagnostics());
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
