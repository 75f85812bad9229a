// Converts files that other tools recorded into traces (trace/schema.sql), as a
// collector would have written them, so that facts, replay, rules and reports
// work on them unchanged. The kind of a file is recognized by its content.
// Called by the command line; nothing else knows about importers. One thread.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace inquest::importers {

// The beginning of a file, which tells its kind.
struct FileStart {
  std::string path;
  std::string bytes;  // unpacked; at most kStartBytes
};
inline constexpr size_t kStartBytes = 64 << 10;

// What a program printed, where the file of another tool has it.
struct ImportedLog {
  std::string name;  // "pid_4711_stderr.log"
  std::string text;
};

struct ImportOutput {
  // Names the file of a further trace, which must not exist yet or be empty.
  std::function<Expected<std::string>()> next_trace;
  std::vector<ImportedLog> logs;
};

struct Importer {
  std::string_view kind;  // as in --source KIND=FILE
  std::string_view what;  // "memory snapshots of PyTorch"
  bool (*knows)(const FileStart& start);
  // Writes what the files hold as traces. A file that ends early or that a
  // limit cuts short gives what could be read and a status of kIncomplete,
  // which names the place; with any other error no trace is of use.
  Status (*import)(std::span<const std::string> paths, ImportOutput* output);
  // Files given one by one say more together, as those of many ranks: they are
  // one call's `paths`. Else that has one.
  bool together = false;
};

std::span<const Importer> Importers();
// nullptr where there is none.
const Importer* FindImporter(std::string_view kind);
// By the file's content; of a path that cannot be read nullptr.
const Importer* ImporterOf(const std::string& path);

}  // namespace inquest::importers
