// SPDX-License-Identifier: Apache-2.0
// `inquest import`: makes a run directory from files of other tools.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "base/secrets/secrets.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "trace/records/event.h"

namespace inquest::cli {
namespace {

namespace fs = std::filesystem;

struct ImportOptions {
  std::vector<std::string> files;
  std::string directory;
  bool add = false;
};

// The file's name without its ending, with a number if two are equal.
std::string TracePath(const std::string& directory, const std::string& file) {
  fs::path stem = fs::path(file).filename();
  while (stem.has_extension()) stem = stem.stem();
  for (int number = 1;; ++number) {
    const std::string path = fmt::format(
        "{}/{}{}{}", directory, stem.string(),
        number == 1 ? "" : fmt::format("-{}", number), trace::kTraceSuffix);
    if (!fs::exists(path)) return path;
  }
}

// "memory snapshots of PyTorch, …"
std::string WhatCanBeImported() {
  std::string kinds;
  for (const auto& importer : importers::Importers()) {
    kinds.append(kinds.empty() ? "" : ", ").append(importer.what);
  }
  return kinds;
}

// Writes console.log, as `inquest record` does.
Status KeepPrinted(const std::vector<ingest::LogText>& logs,
                   const std::string& directory) {
  if (logs.empty()) return Status::Ok();
  const std::string path = (fs::path(directory) / trace::kConsoleLog).string();
  std::ofstream console(path, std::ios::binary | std::ios::app);
  for (const ingest::LogText& log : logs) {
    console << MaskSecrets(log.text);
    if (!log.text.ends_with('\n')) console << '\n';
  }
  if (console.flush()) return Status::Ok();
  return Usage("cannot write '" + path + "'");
}

// A second import would add to the run and change its verdict.
Status RefuseRun(const std::string& directory) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    if (name != trace::kRunFile && name != trace::kConsoleLog &&
        !name.ends_with(trace::kTraceSuffix) &&
        !name.ends_with(trace::kJournalSuffix)) {
      continue;
    }
    return Usage(fmt::format("'{}' already holds a run ({}); what is imported "
                             "would become part of it",
                             directory, name))
        .WithHint(
            "name a new directory, and all files that belong together in one "
            "import; --add adds to the run");
  }
  return Status::Ok();
}

size_t Files(const Inputs& inputs) {
  size_t files = 0;
  for (const ForeignInput& one : inputs.foreign) files += one.paths.size();
  return files;
}

Status Classify(const std::string& file, Inputs* inputs) {
  const size_t before = Files(*inputs);
  RETURN_IF_ERROR(ClassifyPath(file, inputs));
  if (Files(*inputs) > before) return Status::Ok();
  return Unreadable("'" + file + "' cannot be imported")
      .WithHint("supported: " + WhatCanBeImported() + "; logs need no import");
}

Status Import(const ForeignInput& input, const std::string& directory) {
  std::vector<std::string> made;
  importers::ImportOutput output;
  output.next_trace = [&]() -> Expected<std::string> {
    made.push_back(TracePath(directory, input.paths.front()));
    std::ofstream(made.back(), std::ios::app).flush();  // reserves the name
    return made.back();
  };
  const Status status = input.importer->import(input.paths, &output);
  if (!status.ok() && status.code() != StatusCode::kIncomplete) {
    for (const std::string& path : made) fs::remove(path);
    return status;
  }
  RETURN_IF_ERROR(KeepPrinted(output.logs, directory));
  return status;
}

int Run(const ImportOptions& options) {
  Inputs inputs;
  for (const std::string& file : options.files) {
    if (Status status = Classify(file, &inputs); !status.ok()) {
      return Fail(status);
    }
  }
  if (!options.add) {
    const Status status = RefuseRun(options.directory);
    if (!status.ok()) return Fail(status);
  }
  std::error_code error;
  fs::create_directories(options.directory, error);
  if (error) {
    return Fail(Unreadable(fmt::format("cannot make the folder '{}': {}",
                                       options.directory, error.message())));
  }
  int result = kDone;
  for (const ForeignInput& input : inputs.foreign) {
    const Status status = Import(input, options.directory);
    if (!status.ok()) result = Fail(status);
    if (status.code() == StatusCode::kUnreadable) return result;
  }
  return result;
}

}  // namespace

void AddImport(Command program) {
  auto options = std::make_shared<ImportOptions>();
  const Command command = program.Add(
      "import", "Make a run from other tools' files: import FILE… -o RUN");
  command
      .Takes("FILE", &options->files,
             "Files of other tools: " + WhatCanBeImported())
      .Required();
  command.Takes("-o,--output", &options->directory, "Directory of the run")
      .Required();
  command.Flag("--add", &options->add, "Add to a run that is there already");
  command.Run([options] { return Run(*options); });
}

}  // namespace inquest::cli
