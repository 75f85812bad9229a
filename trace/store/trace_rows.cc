// SPDX-License-Identifier: Apache-2.0
// The rows that records become; the rest of TraceWriter is in trace_writer.cc.
#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "trace/records/event.h"
#include "trace/store/or_null.h"
#include "trace/store/trace_writer.h"

namespace inquest::trace {
template <typename Record>
void TraceWriter::EnterAs(uint64_t ticket, std::string_view payload) {
  Record record;
  if (!Decode(payload, &record)) return Malformed();
  Enter(ticket, record);
}

// Long because each kind has a case: the compiler names one that is missing.
void TraceWriter::Add(uint64_t ticket, uint32_t kind,
                      std::string_view payload) {
  if (!HasRoomFor(static_cast<RecordKind>(kind), payload)) {
    ++no_room_[std::string(RecordKindName(kind))];
    return;
  }
  retention_.Entered(static_cast<RecordKind>(kind));
  switch (static_cast<RecordKind>(kind)) {
    case RecordKind::kMemory:
      return AddMemory(ticket, payload);
    case RecordKind::kStack:
      return AddStack(payload);
    case RecordKind::kProcess:
      return EnterAs<ProcessRecord>(ticket, payload);
    case RecordKind::kClockAnchor:
      return EnterAs<ClockAnchorRecord>(ticket, payload);
    case RecordKind::kEnvironment:
      return EnterAs<EnvironmentRecord>(ticket, payload);
    case RecordKind::kLibrary:
      return EnterAs<LibraryRecord>(ticket, payload);
    case RecordKind::kCudnnStat:
      return EnterAs<CudnnStatRecord>(ticket, payload);
    case RecordKind::kLibraryCheck:
      return EnterAs<LibraryCheckRecord>(ticket, payload);
    case RecordKind::kLibraryPart:
      return EnterAs<LibraryPartRecord>(ticket, payload);
    case RecordKind::kDriver:
      return EnterAs<DriverRecord>(ticket, payload);
    case RecordKind::kCgroupMemory:
      return EnterAs<CgroupMemoryRecord>(ticket, payload);
    case RecordKind::kDevice:
      return EnterAs<DeviceRecord>(ticket, payload);
    case RecordKind::kDeviceMemory:
      return EnterAs<DeviceMemoryRecord>(ticket, payload);
    case RecordKind::kDeviceProcess:
      return EnterAs<DeviceProcessRecord>(ticket, payload);
    case RecordKind::kApiError:
      return EnterAs<ApiErrorRecord>(ticket, payload);
    case RecordKind::kApiErrorRepeat:
      return AddRepeat(payload);
    case RecordKind::kCudnnCall:
      return EnterAs<CudnnCallRecord>(ticket, payload);
    case RecordKind::kMessage:
      return EnterAs<MessageRecord>(ticket, payload);
    case RecordKind::kStepBegin:
      return EnterAs<StepBeginRecord>(ticket, payload);
    case RecordKind::kStepEnd:
      return EnterAs<StepEndRecord>(ticket, payload);
    case RecordKind::kDeviceEvent:
      return EnterAs<DeviceEventRecord>(ticket, payload);
    case RecordKind::kCoverage:
      return EnterAs<CoverageRecord>(ticket, payload);
    case RecordKind::kLoss:
      return EnterAs<LossRecord>(ticket, payload);
    case RecordKind::kMeta:
      return EnterAs<MetaRecord>(ticket, payload);
    case RecordKind::kCudnnOperation:
      return EnterAs<CudnnOperationRecord>(ticket, payload);
    case RecordKind::kCudnnRun:
      return EnterAs<CudnnRunRecord>(ticket, payload);
    case RecordKind::kFrameworkMemory:
      return AddFramework(ticket, payload);
    case RecordKind::kPackage:
      return EnterAs<PackageRecord>(ticket, payload);
    case RecordKind::kCudnnChoice:
      return EnterAs<CudnnChoiceRecord>(ticket, payload);
    case RecordKind::kCudnnTurn:
      return EnterAs<CudnnTurnRecord>(ticket, payload);
    case RecordKind::kPythonFrame:
      return EnterAs<PythonFrameRecord>(ticket, payload);
    case RecordKind::kPythonStack:
      return AddPythonStack(payload);
  }
  // A kind of a later program; the journal's version allows skipping it.
  Lose("unknown kind", 1,
       "journal records of a kind this program does not know");
}

// Older programs wrote no count.
void TraceWriter::AddRepeat(std::string_view payload) {
  ApiErrorRepeatRecord record;
  Decoder decoder(payload);
  record.Fields(decoder);
  if (payload.size() < sizeof record.first) return Malformed();
  repeats_[record.first] += decoder.ok() ? record.count : 1;
}

namespace {

constexpr size_t kEventCells = 13;  // columns of memory_event

std::array<int64_t, kEventCells> RowOf(uint64_t ticket, const MemoryRecord& r) {
  const auto cell = [](auto value) { return static_cast<int64_t>(value); };
  return {cell(ticket),    r.time_ns,       cell(r.op()),     cell(r.kind()),
          cell(r.device),  cell(r.context), cell(r.stream),   cell(r.pool),
          cell(r.address), cell(r.bytes),   cell(r.result()), cell(r.thread),
          cell(r.stack)};
}

}  // namespace

void TraceWriter::AddMemory(uint64_t ticket, std::string_view payload) {
  MemoryRecord r;
  if (payload.size() < sizeof r) return Malformed();
  std::memcpy(&r, payload.data(), sizeof r);
  ++memory_events_;
  for (const int64_t cell : RowOf(ticket, r)) waiting_events_.push_back(cell);
  if (waiting_events_.size() >= kEventsAtOnce * kEventCells) FlushEvents();
}

void TraceWriter::FlushEvents() {
  if (waiting_events_.empty()) return;
  Write(
      "INSERT OR IGNORE INTO memory_event "
      "SELECT c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12 FROM inquest_rows(?)",
      IntegerRows{waiting_events_, kEventCells});
  waiting_events_.clear();
}

namespace {

// Reads a record that was copied byte by byte, up to its last frame. False if
// it is malformed.
template <typename Record>
bool CopyStack(std::string_view payload, Record* record) {
  constexpr size_t kFixed = offsetof(Record, frames);
  if (payload.size() < kFixed) return false;
  std::memcpy(record, payload.data(), std::min(payload.size(), sizeof *record));
  return record->count <= std::size(record->frames) &&
         payload.size() >= kFixed + record->count * sizeof record->frames[0];
}

}  // namespace

void TraceWriter::AddStack(std::string_view payload) {
  StackRecord r;
  if (!CopyStack(payload, &r)) return Malformed();
  const size_t bytes = size_t{r.count} * sizeof r.frames[0];
  Write("INSERT OR IGNORE INTO stack VALUES(?,?)", r.id,
        Blob{{reinterpret_cast<const char*>(r.frames), bytes}});
}

void TraceWriter::AddPythonStack(std::string_view payload) {
  PythonStackRecord r;
  if (!CopyStack(payload, &r)) return Malformed();
  for (uint32_t depth = 0; depth < r.count; ++depth) {
    Write("INSERT OR IGNORE INTO python_stack VALUES(?,?,?)", r.stack, depth,
          r.frames[depth]);
  }
}

void TraceWriter::Enter(uint64_t, const PythonFrameRecord& r) {
  Write("INSERT OR IGNORE INTO python_frame VALUES(?,?,?,?)", r.id, r.file,
        r.line, r.function);
}

void TraceWriter::Enter(uint64_t, const ProcessRecord& r) {
  Write("INSERT INTO process VALUES(?,?,?,?,?,?,?,?,?,?)", r.pid, r.parent_pid,
        r.start_ns, r.host, r.executable, r.command, OrNull(r.rank),
        OrNull(r.local_rank), OrNull(r.world_size), OrNull(r.job_id));
}

void TraceWriter::Enter(uint64_t, const ClockAnchorRecord& r) {
  Write("INSERT INTO clock_anchor VALUES(?,?)", r.monotonic_ns, r.realtime_ns);
}

void TraceWriter::Enter(uint64_t, const EnvironmentRecord& r) {
  Write("INSERT OR REPLACE INTO environment VALUES(?,?)", r.name, r.value);
}

namespace {

// How near to the library itself a source of its version is.
int WorthOfSource(std::string_view source) {
  constexpr std::string_view kWorst[] = {"", "package", "file name", "symbol",
                                         "call"};
  const auto* at = std::find(std::begin(kWorst), std::end(kWorst), source);
  return static_cast<int>(at - std::begin(kWorst));
}

}  // namespace

// A later record of the same library fills in what the first left empty, and
// replaces a version whose source is worse.
void TraceWriter::Enter(uint64_t ticket, LibraryRecord r) {
  Statement* find =
      Get("SELECT id, time_ns, coalesce(version_source,'') FROM library WHERE "
          "path=? AND base=?");
  if (find == nullptr) return;
  auto id = static_cast<int64_t>(ticket);
  int64_t time_ns = r.time_ns;
  std::string source;
  find->BindAll(r.path, r.base).Next(&id, &time_ns, &source);
  find->Reset();
  if (WorthOfSource(r.version_source) < WorthOfSource(source)) {
    r.version = r.version_source = {};
  }
  Write(
      "INSERT OR REPLACE INTO library VALUES(?,?,?,?,"
      "coalesce(?5,(SELECT version FROM library WHERE id=?1)),"
      "coalesce(?6,(SELECT version_source FROM library WHERE id=?1)),"
      "coalesce(?7,(SELECT compiled_version FROM library WHERE id=?1)),"
      "coalesce(?8,(SELECT build_id FROM library WHERE id=?1)),?9,?10)",
      id, time_ns, r.name, r.path, OrNull(r.version), OrNull(r.version_source),
      OrNull(r.compiled_version), OrNull(r.build_id), r.base, r.size);
}

void TraceWriter::Enter(uint64_t, const LibraryCheckRecord& r) {
  Write("INSERT INTO library_check VALUES(?,?,?,?,?,?)", r.time_ns, r.path,
        r.base, r.function, r.result, r.name);
}

void TraceWriter::Enter(uint64_t, const LibraryPartRecord& r) {
  Write("INSERT INTO library_part VALUES(?,?,?,?,?,?,?)", r.time_ns, r.name,
        r.path, r.whole, r.present, OrNull(r.package_version),
        OrNull(r.of_package));
}

void TraceWriter::Enter(uint64_t, const DriverRecord& r) {
  Write("INSERT INTO driver VALUES(?,?,?,?,?,?,?,?,?,?)", r.time_ns, r.loaded,
        OrNull(r.library), OrNull(r.library_version), OrNull(r.cuda),
        OrNull(r.init_result), OrNull(r.init_name), OrNull(r.kernel_version),
        r.device_files, OrNull(r.device_error));
}

void TraceWriter::Enter(uint64_t, const CgroupMemoryRecord& r) {
  Write("INSERT INTO cgroup_memory VALUES(?,?,?,?,?,?,?,?)", r.time_ns, r.path,
        OrNull(r.limit_bytes), OrNull(r.used_bytes), OrNull(r.peak_bytes),
        OrNull(r.refusals), OrNull(r.ooms), OrNull(r.oom_kills));
}

void TraceWriter::Enter(uint64_t, const DeviceRecord& r) {
  Write(
      "INSERT OR REPLACE INTO device VALUES(?1,?2,?3,?4,?5,?6,"
      "coalesce(?7,(SELECT driver_version FROM device WHERE ordinal=?1)),"
      "?8,?9)",
      r.ordinal, r.name, r.uuid, r.pci, r.total_bytes, r.compute_capability,
      OrNull(r.driver_version), OrNull(r.cuda_driver_version),
      OrNull(r.cuda_runtime_version));
}

void TraceWriter::Enter(uint64_t, const DeviceMemoryRecord& r) {
  Write("INSERT INTO device_memory VALUES(?,?,?,?,?)", r.time_ns, r.device,
        r.free_bytes, r.total_bytes, r.reason);
}

void TraceWriter::Enter(uint64_t, const DeviceProcessRecord& r) {
  Write("INSERT INTO device_process VALUES(?,?,?,?,?,?)", r.time_ns, r.device,
        r.pid, OrNull(r.used_bytes), OrNull(r.name), r.reason);
}

}  // namespace inquest::trace
