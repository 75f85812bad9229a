// SPDX-License-Identifier: Apache-2.0
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

#include "analyzer/logs/reader/log_event.h"
#include "base/status.h"

namespace inquest::importers {

// The beginning of a file, by which its kind is recognized.
struct FileStart {
  std::string path;
  std::string bytes;  // decompressed; at most kStartBytes
};
inline constexpr size_t kStartBytes = 64 << 10;

struct ImportOutput {
  // Returns the path for another trace, which must not exist or be empty.
  std::function<Expected<std::string>()> next_trace;
  // The program's output, if the other tool captured it.
  std::vector<ingest::LogText> logs;
};

struct Importer {
  std::string_view kind;  // as in --source KIND=FILE
  std::string_view what;  // "memory snapshots of PyTorch"
  bool (*knows)(const FileStart& start);
  // Writes the files as traces. If a file is truncated or exceeds a limit, the
  // traces have what could be read, and the status is kIncomplete and says
  // where reading ended; after any other error the traces are unusable.
  Status (*import)(std::span<const std::string> paths, ImportOutput* output);
  // The files of one run belong together, such as those of many ranks: they are
  // passed in one call. Otherwise `paths` has one element.
  bool together = false;
};

std::span<const Importer> Importers();
// nullptr if there is none.
const Importer* FindImporter(std::string_view kind);
// By the file's content; nullptr if no importer knows it or it cannot be read.
const Importer* ImporterOf(const std::string& path);

}  // namespace inquest::importers
