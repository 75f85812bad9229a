// `inquest import`: files of other tools as a run directory of their own.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/command.h"
#include "cli/imports.h"
#include "cli/inputs.h"
#include "trace/event.h"

namespace inquest::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> files;
  std::string directory;
};

// The file's own name with no ending, and a number where two share one.
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

Status Classify(const std::string& file, Inputs* inputs) {
  const auto count = [&] {
    size_t files = inputs->foreign.size();
    for (const ForeignFile& one : inputs->foreign) files += one.more.size();
    return files;
  };
  const size_t before = count();
  RETURN_IF_ERROR(ClassifyPath(file, inputs));
  if (count() > before) return Status::Ok();
  return Unreadable("'" + file + "' is nothing that can be imported")
      .WithHint("what can: " + WhatCanBeImported() +
                "; logs are read as they are");
}

int Run(const Options& options) {
  Inputs inputs;
  for (const std::string& file : options.files) {
    if (Status status = Classify(file, &inputs); !status.ok()) {
      return Fail(status);
    }
  }
  std::error_code error;
  fs::create_directories(options.directory, error);
  if (error) {
    return Fail(Unreadable(fmt::format("cannot make the folder '{}': {}",
                                       options.directory, error.message())));
  }
  int result = kDone;
  for (const ForeignFile& file : inputs.foreign) {
    const Status status =
        ImportForeign(file, TracePath(options.directory, file.path));
    if (!status.ok()) result = Fail(status);
    if (status.code() == StatusCode::kUnreadable) return result;
  }
  return result;
}

}  // namespace

void AddImport(Command program) {
  auto options = std::make_shared<Options>();
  const Command command = program.Add(
      "import", "Make a run of other tools' files: import FILE… -o RUN");
  command
      .Takes("FILE", &options->files,
             "What other tools wrote: " + WhatCanBeImported())
      .Required();
  command.Takes("-o,--output", &options->directory, "Directory of the run")
      .Required();
  command.Run([options] { return Run(*options); });
}

}  // namespace inquest::cli
