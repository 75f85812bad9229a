// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/import.h"

#include <algorithm>

#include "analyzer/importers/kinds.h"

namespace inquest::importers {
namespace {

// A file that is one trace.
template <Status (*kImport)(const std::string&, const std::string&)>
Status OneTrace(std::span<const std::string> paths, ImportOutput* output) {
  ASSIGN_OR_RETURN(const std::string trace_path, output->next_trace());
  return kImport(paths.front(), trace_path);
}

constexpr Importer kImporters[] = {
    // The most distinctive formats come first: a profiler trace contains keys
    // of the flight recorder, whose dumps contain keys of a snapshot.
    {"kineto", "traces of PyTorch's profiler (Kineto)", KnowsKineto,
     OneTrace<ImportKineto>},
    {"memory-timeline", "raw memory timelines of PyTorch's profiler",
     KnowsMemoryTimeline, OneTrace<ImportMemoryTimeline>},
    {"flight-recorder", "dumps of PyTorch's flight recorder",
     KnowsFlightRecorder, ImportFlightRecorders, true},
    {"torch-snapshot", "memory snapshots of PyTorch", KnowsTorchSnapshot,
     OneTrace<ImportTorchSnapshot>},
    {"nsys", "SQLite exports of Nsight Systems", KnowsNsys, ImportNsys},
    {"pprof", "device memory profiles of JAX", KnowsPprof,
     OneTrace<ImportPprof>},
    {"bfc-dump", "memory dumps of TensorFlow's allocator", KnowsBfcDump,
     OneTrace<ImportBfcDump>},
};

}  // namespace

std::span<const Importer> Importers() {
  return kImporters;
}

const Importer* FindImporter(std::string_view kind) {
  const auto* found = std::ranges::find(kImporters, kind, &Importer::kind);
  return found == std::end(kImporters) ? nullptr : found;
}

const Importer* ImporterOf(const std::string& path) {
  const FileStart start = StartOf(path);
  const auto* found = std::ranges::find_if(
      kImporters, [&](const Importer& one) { return one.knows(start); });
  return found == std::end(kImporters) ? nullptr : found;
}

}  // namespace inquest::importers
