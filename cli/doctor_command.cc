// SPDX-License-Identifier: Apache-2.0
// `inquest doctor`: what would happen to a job here.
#include <unistd.h>

#include <memory>

#include "cli/command.h"
#include "cli/doctor/doctor.h"

namespace inquest::cli {
namespace {

struct DoctorOptions {
  std::string directory = "runs";
  std::string format = "text";
  bool json = false;
};

int Run(const DoctorOptions& options) {
  const doctor::Checks checks = doctor::Examine(options.directory);
  if (options.json || options.format == "json") {
    Print(doctor::DoctorJson(checks, INQUEST_VERSION));
  } else {
    const bool colour = WantsColour(STDOUT_FILENO);
    const std::string text = doctor::DoctorText(checks, colour);
    colour ? PrintInColour(text) : Print(text);
  }
  return doctor::WorstOf(checks) == doctor::State::kProblem ? kNo : kDone;
}

}  // namespace

void AddDoctor(Command program) {
  auto options = std::make_shared<DoctorOptions>();
  const Command command =
      program.Add("doctor",
                  "What would happen to a job here: driver, CUPTI, cuDNN, "
                  "libraries, limits");
  command
      .Takes("-o,--output", &options->directory,
             "Directory in which runs would be kept")
      .Called("DIR")
      .ShowDefault();
  command.Takes("--format", &options->format, "How to print the answer")
      .OneOf({"text", "json"})
      .ShowDefault();
  command.Flag("--json", &options->json, "The same as --format json");
  command.Footer(
      "Takes at most two seconds and changes nothing. Exit code 1 if a job\n"
      "would fail here or would not be recorded.");
  command.Run([options] { return Run(*options); });
}

}  // namespace inquest::cli
