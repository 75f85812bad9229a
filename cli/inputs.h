// SPDX-License-Identifier: Apache-2.0
// The PATH arguments: run directories, traces and logs, recognised by their
// content. Reads only file types and first bytes; keeps nothing open.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/importers/import.h"
#include "analyzer/logs/reader/log_event.h"
#include "base/status.h"

namespace inquest::cli {

struct ForeignInput {  // another tool's: a file, or several that belong
                       // together
  const importers::Importer* importer = nullptr;
  std::vector<std::string> paths;
};

// What the folder of a job holds (job_folder.h).
struct JobFiles {
  struct LeftOut {
    std::string path;
    std::string why;
  };
  std::vector<std::string> folders;
  size_t found = 0;  // files and run directories that are read
  std::vector<LeftOut> left_out;
};

struct Inputs {
  std::vector<std::string> run_directories;
  std::vector<std::string> traces;  // .trace.sqlite, made from a journal or not
  std::vector<ForeignInput> foreign;
  std::vector<std::string> parts;  // files of facts, of `inquest ingest`
  std::vector<std::string> logs;
  size_t logs_in_job = 0;  // also where only a share is read (input_shares.h)
  std::vector<Status> refused;         // in run directories: links, pipes, …
  std::vector<ingest::LogText> texts;  // logs that are not single files
  std::map<std::string, ingest::LogUnit> units;  // of logs, by path
  JobFiles job;
};

// Adds one PATH argument to `inputs`. "-" is a log on standard input. An error
// says what the path is and what was expected.
Status ClassifyPath(const std::string& path, Inputs* inputs);

// The kinds of --source, with commas: "trace, log, torch-snapshot".
std::string SourceKinds();

// --source KIND=FILE.
Status AddForcedSource(const std::string& option, Inputs* inputs);

}  // namespace inquest::cli
