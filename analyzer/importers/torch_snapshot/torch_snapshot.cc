// SPDX-License-Identifier: Apache-2.0
// Recognizes and imports memory snapshots of PyTorch.
#include "analyzer/importers/torch_snapshot/torch_snapshot.h"

#include <fmt/format.h>

#include "analyzer/importers/kinds.h"
#include "analyzer/importers/pickle/pickle_input.h"
#include "analyzer/importers/pickle/pickle_reader.h"
#include "analyzer/importers/torch_snapshot/snapshot_shapes.h"
#include "analyzer/importers/torch_snapshot/snapshot_trace.h"
#include "analyzer/logs/units/log_unit.h"

namespace inquest::importers {
namespace {

constexpr size_t kFirstBytes = 256;

}  // namespace

bool KnowsTorchSnapshot(const FileStart& start) {
  const std::string_view bytes =
      std::string_view(start.bytes).substr(0, kFirstBytes);
  if (!BeginsPickle(bytes)) return false;
  for (const std::string_view key :
       {"segments", "device_traces", "device", "address", "total_size"}) {
    if (bytes.find(key) != bytes.npos) return true;
  }
  return false;
}

Status ImportTorchSnapshot(const std::string& path,
                           const std::string& trace_path) {
  ASSIGN_OR_RETURN(ingest::LogInput input, OpenForeign(path));
  PickleReader reader(input.bytes.get());
  TorchSnapshot snapshot;
  SnapshotShapes shapes(&reader, &snapshot);
  const Expected<PickleValue> whole = reader.Read(&shapes);
  const PickleValue root = whole.ok() ? *whole : reader.CloseOpenParts();
  const Status known = shapes.Finish(root);
  Status fault = whole.status();
  if (!known.ok()) {
    const Status& why = fault.ok() ? known : fault;
    return Unreadable(fmt::format("the snapshot '{}': {}", path, why.message()))
        .WithHint(why.hint());
  }
  const std::string& packing = input.bytes->fault().note;
  if (!fault.ok() && !packing.empty()) {
    fault = Unreadable(fault.message() + ": " + packing);
  }
  RETURN_IF_ERROR(WriteSnapshotTrace(
      &snapshot, reader.texts(),
      {ingest::UnitOfPath(path).rank, fault.message()}, trace_path));
  return fault.ok() ? fault : Incomplete(path, fault);
}

}  // namespace inquest::importers
