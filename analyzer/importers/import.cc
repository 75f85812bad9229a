#include "analyzer/importers/import.h"

#include <algorithm>

#include "analyzer/importers/kinds.h"

namespace inquest::importers {
namespace {

constexpr Importer kImporters[] = {
    // By keys of its own; what begins like a snapshot need not be one.
    {"flight-recorder", "dumps of PyTorch's flight recorder",
     KnowsFlightRecorder, ImportFlightRecorder, ImportFlightRecorders},
    {"torch-snapshot", "memory snapshots of PyTorch", KnowsTorchSnapshot,
     ImportTorchSnapshot},
    {"pprof", "device memory profiles of JAX", KnowsPprof, ImportPprof},
    {"bfc-dump", "memory dumps of TensorFlow's allocator", KnowsBfcDump,
     ImportBfcDump},
};

FileStart StartOf(const std::string& path) {
  FileStart start{path, std::string(kStartBytes, '\0')};
  auto input = OpenForeign(path);
  size_t size = 0;
  while (input.ok() && size < start.bytes.size()) {
    const size_t got = input->bytes->Read(start.bytes.data() + size,
                                          start.bytes.size() - size);
    if (got == 0) break;
    size += got;
  }
  start.bytes.resize(size);
  return start;
}

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
