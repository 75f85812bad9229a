// The rows that records become; the rest of TraceWriter is in trace_writer.cc.
#include <algorithm>
#include <cstring>
#include <iterator>

#include "trace/records/event.h"
#include "trace/store/bind.h"
#include "trace/store/trace_writer.h"

namespace inquest::trace {
template <typename Record>
void TraceWriter::EnterAs(uint64_t ticket, std::string_view payload) {
  Record record;
  if (!Decode(payload, &record)) return Malformed();
  Enter(ticket, record);
}

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
    case RecordKind::kDevice:
      return EnterAs<DeviceRecord>(ticket, payload);
    case RecordKind::kDeviceMemory:
      return EnterAs<DeviceMemoryRecord>(ticket, payload);
    case RecordKind::kDeviceProcess:
      return EnterAs<DeviceProcessRecord>(ticket, payload);
    case RecordKind::kApiError:
      return EnterAs<ApiErrorRecord>(ticket, payload);
    case RecordKind::kApiErrorRepeat:
      return EnterAs<ApiErrorRepeatRecord>(ticket, payload);
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
  // A kind of a later program; the journal's version says it may be skipped.
  Lose("unknown kind", 1, "journal records of a kind this program lacks");
}

void TraceWriter::AddMemory(uint64_t ticket, std::string_view payload) {
  MemoryRecord record;
  if (payload.size() < sizeof record) return Malformed();
  std::memcpy(&record, payload.data(), sizeof record);
  ++memory_events_;
  Statement* insert = Get(
      "INSERT OR IGNORE INTO memory_event VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)");
  if (insert == nullptr) return;
  Run(&insert->Bind(0, Signed(ticket))
           .Bind(1, record.time_ns)
           .Bind(2, static_cast<int64_t>(record.op()))
           .Bind(3, static_cast<int64_t>(record.kind()))
           .Bind(4, int64_t{record.device})
           .Bind(5, int64_t{record.context})
           .Bind(6, Signed(record.stream))
           .Bind(7, Signed(record.pool))
           .Bind(8, Signed(record.address))
           .Bind(9, Signed(record.bytes))
           .Bind(10, int64_t{record.result()})
           .Bind(11, int64_t{record.thread})
           .Bind(12, int64_t{record.stack}));
}

namespace {

// A record that lies in the journal as it did in memory, with the frames that
// it counts and no more. False when it makes no sense.
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
  StackRecord record;
  if (!CopyStack(payload, &record)) return Malformed();
  const size_t bytes = size_t{record.count} * sizeof record.frames[0];
  Statement* insert = Get("INSERT OR IGNORE INTO stack VALUES(?,?)");
  if (insert == nullptr) return;
  Run(&insert->Bind(0, int64_t{record.id}).BindBlob(1, record.frames, bytes));
}

void TraceWriter::AddPythonStack(std::string_view payload) {
  PythonStackRecord record;
  if (!CopyStack(payload, &record)) return Malformed();
  Statement* insert = Get("INSERT OR IGNORE INTO python_stack VALUES(?,?,?)");
  if (insert == nullptr) return;
  for (uint32_t depth = 0; depth < record.count; ++depth) {
    insert->Bind(0, int64_t{record.stack}).Bind(1, int64_t{depth});
    Run(&insert->Bind(2, int64_t{record.frames[depth]}));
  }
}

void TraceWriter::Enter(uint64_t, const PythonFrameRecord& record) {
  Statement* insert = Get("INSERT OR IGNORE INTO python_frame VALUES(?,?,?,?)");
  if (insert == nullptr) return;
  insert->Bind(0, int64_t{record.id}).Bind(1, record.file);
  Run(&insert->Bind(2, int64_t{record.line}).Bind(3, record.function));
}

void TraceWriter::Enter(uint64_t, const ProcessRecord& record) {
  Statement* insert = Get("INSERT INTO process VALUES(?,?,?,?,?,?,?,?,?,?)");
  if (insert == nullptr) return;
  insert->Bind(0, record.pid).Bind(1, record.parent_pid);
  insert->Bind(2, record.start_ns).Bind(3, record.host);
  insert->Bind(4, record.executable).Bind(5, record.command);
  BindNumber(insert, 6, record.rank);
  BindNumber(insert, 7, record.local_rank);
  BindNumber(insert, 8, record.world_size);
  BindText(insert, 9, record.job_id);
  Run(insert);
}

void TraceWriter::Enter(uint64_t, const ClockAnchorRecord& record) {
  Statement* insert = Get("INSERT INTO clock_anchor VALUES(?,?)");
  if (insert == nullptr) return;
  Run(&insert->Bind(0, record.monotonic_ns).Bind(1, record.realtime_ns));
}

void TraceWriter::Enter(uint64_t, const EnvironmentRecord& record) {
  Statement* insert = Get("INSERT OR REPLACE INTO environment VALUES(?,?)");
  if (insert == nullptr) return;
  Run(&insert->Bind(0, record.name).Bind(1, record.value));
}

void TraceWriter::Enter(uint64_t ticket, const LibraryRecord& record) {
  Statement* find =
      Get("SELECT id, time_ns FROM library WHERE path=? AND base=?");
  Statement* insert =
      Get("INSERT OR REPLACE INTO library VALUES(?,?,?,?,"
          "coalesce(?5,(SELECT version FROM library WHERE id=?1)),"
          "coalesce(?6,(SELECT version_source FROM library WHERE id=?1)),"
          "coalesce(?7,(SELECT compiled_version FROM library WHERE id=?1)),"
          "coalesce(?8,(SELECT build_id FROM library WHERE id=?1)),?9,?10)");
  if (find == nullptr || insert == nullptr) return;
  find->Bind(0, record.path).Bind(1, Signed(record.base));
  const bool known = find->Step();
  insert->Bind(0, known ? find->Int(0) : Signed(ticket));
  insert->Bind(1, known ? find->Int(1) : record.time_ns);
  find->Reset();
  insert->Bind(2, record.name).Bind(3, record.path);
  BindText(insert, 4, record.version);
  BindText(insert, 5, record.version_source);
  BindText(insert, 6, record.compiled_version);
  BindText(insert, 7, record.build_id);
  Run(&insert->Bind(8, Signed(record.base)).Bind(9, Signed(record.size)));
}

void TraceWriter::Enter(uint64_t, const LibraryCheckRecord& record) {
  Statement* insert = Get("INSERT INTO library_check VALUES(?,?,?,?,?,?)");
  if (insert == nullptr) return;
  insert->Bind(0, record.time_ns).Bind(1, record.path);
  insert->Bind(2, Signed(record.base)).Bind(3, record.function);
  Run(&insert->Bind(4, int64_t{record.result}).Bind(5, record.name));
}

void TraceWriter::Enter(uint64_t, const DeviceRecord& record) {
  Statement* insert =
      Get("INSERT OR REPLACE INTO device VALUES(?1,?2,?3,?4,?5,?6,"
          "coalesce(?7,(SELECT driver_version FROM device WHERE ordinal=?1)),"
          "?8,?9)");
  if (insert == nullptr) return;
  insert->Bind(0, record.ordinal).Bind(1, record.name).Bind(2, record.uuid);
  insert->Bind(3, record.pci).Bind(4, record.total_bytes);
  insert->Bind(5, record.compute_capability);
  BindText(insert, 6, record.driver_version);
  BindNumber(insert, 7, record.cuda_driver_version);
  BindNumber(insert, 8, record.cuda_runtime_version);
  Run(insert);
}

void TraceWriter::Enter(uint64_t, const DeviceMemoryRecord& record) {
  Statement* insert = Get("INSERT INTO device_memory VALUES(?,?,?,?,?)");
  if (insert == nullptr) return;
  insert->Bind(0, record.time_ns).Bind(1, record.device);
  insert->Bind(2, record.free_bytes).Bind(3, record.total_bytes);
  Run(&insert->Bind(4, record.reason));
}

void TraceWriter::Enter(uint64_t, const DeviceProcessRecord& record) {
  Statement* insert = Get("INSERT INTO device_process VALUES(?,?,?,?,?,?)");
  if (insert == nullptr) return;
  insert->Bind(0, record.time_ns).Bind(1, record.device).Bind(2, record.pid);
  BindNumber(insert, 3, record.used_bytes);
  BindText(insert, 4, record.name);
  Run(&insert->Bind(5, record.reason));
}

}  // namespace inquest::trace
