#include "analyzer/importers/import.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <memory>

#include "analyzer/importers/pickle_reader.h"
#include "analyzer/importers/snapshot_shapes.h"
#include "analyzer/importers/snapshot_trace.h"
#include "analyzer/ingest/log_input.h"

namespace inquest::importers {
namespace {

constexpr size_t kFirstBytes = 256;

// Snapshots have no end by nature; what bounds them are PickleLimits.
Expected<ingest::LogInput> Open(const std::string& path) {
  ingest::InputLimits limits;
  limits.max_bytes = std::numeric_limits<int64_t>::max();
  limits.max_unpacked_bytes = std::numeric_limits<int64_t>::max();
  return ingest::OpenLog(path, limits);
}

bool BeginsPickle(std::string_view bytes) {
  const auto protocol = static_cast<uint8_t>(bytes[1]);
  return (bytes[0] == '\x80' && protocol >= 2 && protocol <= 5) ||
         bytes.starts_with("(d") || bytes.starts_with("}q") ||
         bytes.starts_with("(l") || bytes.starts_with("]q");
}

// Said of what was read, when not all could be.
Status Incomplete(const std::string& path, const Status& why) {
  return Status(
             StatusCode::kIncomplete,
             fmt::format("the snapshot '{}': {}; what comes before is looked "
                         "at",
                         path, why.message()))
      .WithHint(why.hint());
}

}  // namespace

bool LooksLikeTorchSnapshot(const std::string& path) {
  auto input = Open(path);
  if (!input.ok()) return false;
  std::array<char, kFirstBytes> buffer;
  size_t size = 0;
  while (size < buffer.size()) {
    const size_t got =
        input->bytes->Read(buffer.data() + size, buffer.size() - size);
    if (got == 0) break;
    size += got;
  }
  const std::string_view bytes(buffer.data(), size);
  if (size < 2 || !BeginsPickle(bytes)) return false;
  for (const std::string_view key :
       {"segments", "device_traces", "device", "address", "total_size"}) {
    if (bytes.find(key) != bytes.npos) return true;
  }
  return false;
}

Status ImportTorchSnapshot(const std::string& path,
                           const std::string& trace_path) {
  ASSIGN_OR_RETURN(ingest::LogInput input, Open(path));
  PickleReader reader(input.bytes.get());
  TorchSnapshot snapshot;
  SnapshotShapes shapes(&reader, &snapshot);
  const Expected<PickleValue> whole = reader.Read(&shapes);
  const PickleValue root = whole.ok() ? *whole : reader.CloseWhatIsOpen();
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
  RETURN_IF_ERROR(WriteSnapshotTrace(&snapshot, reader.texts(), fault.message(),
                                     trace_path));
  return fault.ok() ? fault : Incomplete(path, fault);
}

}  // namespace inquest::importers
