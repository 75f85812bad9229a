// SPDX-License-Identifier: Apache-2.0
// `inquest diagnose`: the verdict on a run.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "analyzer/report/page/page.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/diagnosis_session.h"
#include "cli/private_file.h"

namespace inquest::cli {
namespace {

struct DiagnoseOptions {
  SessionOptions session;
  std::string format = "text";
  std::string output;
  std::string verdict;
  std::string fail_on;
};

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

Expected<std::string> Render(const DiagnoseOptions& options, Session* session) {
  const report::ReportInput input = session->Report();
  if (options.format == "html") {
    return report::HtmlPage(input, &session->store());
  }
  if (options.format == "json" || options.format == "ndjson") {
    const int indent = options.format == "json" ? 2 : -1;
    return report::JsonReport(input, indent);
  }
  if (!options.output.empty()) return report::TextReport(input, false);
  return report::TextReport(input, WantsColour(STDOUT_FILENO),
                            WidthOf(STDOUT_FILENO));
}

Status Write(const DiagnoseOptions& options, const std::string& text) {
  const bool page = options.format == "html";
  if (!options.output.empty()) {
    return page ? WritePrivateFile(options.output, text)
                : WriteFile(options.output, PrintableLines(text));
  }
  if (page) {
    PrintAsItIs(text);
  } else {
    WantsColour(STDOUT_FILENO) ? PrintInColour(text) : Print(text);
  }
  return Status::Ok();
}

// In place, because schedulers read such a file: Kubernetes mounts
// /dev/termination-log and takes 4,096 bytes of it. /dev/fd/3 is the open file
// itself, which its opener may be allowed to write and we may not.
FILE* OpenVerdict(const std::string& path) {
  constexpr std::string_view kOpen = "/dev/fd/";
  if (!path.starts_with(kOpen)) return fopen(path.c_str(), "we");
  const int fd = fcntl(atoi(path.c_str() + kOpen.size()), F_DUPFD_CLOEXEC, 3);
  return fd < 0 ? nullptr : fdopen(fd, "w");
}

Status WriteVerdict(const std::string& path,
                    const findings::Diagnosis& diagnosis) {
  if (path.empty()) return Status::Ok();
  std::string line = report::OneLine(diagnosis);
  Shorten(&line, 4000);
  line = PrintableLines(line) + "\n";
  FILE* file = OpenVerdict(path);
  const bool written = file != nullptr &&
                       fwrite(line.data(), 1, line.size(), file) == line.size();
  const int error = errno;
  if (file != nullptr && fclose(file) == 0 && written) return Status::Ok();
  return Usage("cannot write the verdict to '" + path +
               "': " + strerror(error));
}

int Run(const DiagnoseOptions& options) {
  auto session = Session::Open(options.session);
  if (!session.ok()) return Fail(session.status());
  if (Status status = session->Diagnose(); !status.ok()) return Fail(status);
  Say(session->diagnostics());
  const auto text = Render(options, &*session);
  if (!text.ok()) return Fail(text.status());
  if (Status status = Write(options, *text); !status.ok()) return Fail(status);
  if (Status status = WriteVerdict(options.verdict, session->diagnosis());
      !status.ok()) {
    return Fail(status);
  }
  if (session->exit_code() != kDone) return session->exit_code();
  return Exceeds(session->diagnosis(), options.fail_on) ? kNo : kDone;
}

}  // namespace

void AddDiagnose(Command program) {
  auto options = std::make_shared<DiagnoseOptions>();
  const Command command = program.Add(
      "diagnose", "Name the cause of death of a run, from traces and logs");
  AddSessionOptions(command, &options->session);
  command.Takes("--format", &options->format, "How to print the verdict")
      .OneOf({"text", "json", "ndjson", "html"})
      .ShowDefault();
  command.Takes("-o,--output", &options->output, "File to write to");
  command
      .Takes("--verdict", &options->verdict,
             "File for the verdict in one line, such as "
             "/dev/termination-log")
      .Called("FILE");
  command
      .Takes("--fail-on", &options->fail_on,
             "Exit with 1 if a finding is at least this severe")
      .OneOf({"note", "warning", "error"});
  command.Run([options] { return Run(*options); });
}

}  // namespace inquest::cli
