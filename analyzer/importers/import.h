// What other tools recorded, made traces of: each kind of file is known by its
// content and becomes a file as a collector would have written it
// (trace/schema.sql), so that facts, replay, rules and reports work on it
// unchanged. Called by the command line; nothing else knows of importers. One
// thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "trace/status.h"

namespace inquest::importers {

// The beginning of a file, which tells its kind.
struct FileStart {
  std::string path;
  std::string bytes;  // unpacked; at most kStartBytes
};
inline constexpr size_t kStartBytes = 64 << 10;

struct Importer {
  std::string_view kind;  // as in --source KIND=FILE
  std::string_view what;  // "memory snapshots of PyTorch"
  bool (*knows)(const FileStart& start);
  // Writes the file at `path` as a trace at `trace_path`, which must not exist
  // yet. A file that ends early or that a limit cuts short gives what could be
  // read and a status of kIncomplete, which names the place; with any other
  // error there is no trace.
  Status (*import)(const std::string& path, const std::string& trace_path);
  // Of a kind whose files say more together: all of them as one trace.
  Status (*import_all)(std::span<const std::string> paths,
                       const std::string& trace_path) = nullptr;
};

std::span<const Importer> Importers();
// nullptr where there is none.
const Importer* FindImporter(std::string_view kind);
// By the file's content; of a path that cannot be read nullptr.
const Importer* ImporterOf(const std::string& path);

}  // namespace inquest::importers
