// SPDX-License-Identifier: Apache-2.0
// Writes records into this process's journal. A no-op while there is no
// session. Safe in signal handlers; the times are trace::MonotonicNs.
#pragma once

#include <string_view>

#include "collector/core/session.h"
#include "trace/journal/process_clock.h"
#include "trace/records/records.h"

namespace inquest::collector {

using trace::Journal;
using trace::MonotonicNs;

// Facts about the process are few, and all that is said of the run rests on
// them.
constexpr Journal::Full WorthOf(trace::RecordKind kind) {
  using trace::RecordKind;
  switch (kind) {
    case RecordKind::kProcess:
    case RecordKind::kClockAnchor:
    case RecordKind::kEnvironment:
    case RecordKind::kLibrary:
    case RecordKind::kLibraryCheck:
    case RecordKind::kLibraryPart:
    case RecordKind::kDriver:
    case RecordKind::kCgroupMemory:
    case RecordKind::kPackage:
    case RecordKind::kDevice:
    case RecordKind::kDeviceEvent:
    case RecordKind::kApiError:
    case RecordKind::kApiErrorRepeat:
    case RecordKind::kCoverage:
    case RecordKind::kLoss:
    case RecordKind::kMeta:
      return Journal::Full::kKeep;
    default:
      return Journal::Full::kDrop;
  }
}

namespace internal {

// Not inlined: only this call then needs room for the encoder, while the host
// may be in a handler on a small signal stack.
template <typename Encoder, typename Record>
[[gnu::noinline]] uint64_t EmitWith(Session* session, Record& record,
                                    Journal::Full full) {
  Encoder encoder;
  record.Fields(encoder);
  return session->journal->Append(static_cast<uint32_t>(Record::kKind),
                                  encoder.bytes(), full);
}

}  // namespace internal

// The record's ticket, or Journal::kDropped.
template <typename Record>
uint64_t Emit(Record record, Journal::Full full = WorthOf(Record::kKind)) {
  Session* session = Current();
  if (session == nullptr) return Journal::kDropped;
  trace::EncodedSize size;
  record.Fields(size);
  return size.bytes() <= trace::kSmall
             ? internal::EmitWith<trace::SmallEncoder>(session, record, full)
             : internal::EmitWith<trace::Encoder>(session, record, full);
}

// Memory events must not get lost: they wait a little if the journal is full,
// and refusals take the last of its room.
inline uint64_t EmitMemory(const trace::MemoryRecord& record) {
  Session* session = Current();
  if (session == nullptr) return Journal::kDropped;
  return session->journal->AppendSlot(
      static_cast<uint32_t>(trace::RecordKind::kMemory), &record,
      record.result() == 0 ? Journal::Full::kWait : Journal::Full::kKeep);
}

inline void EmitCoverage(std::string_view source, std::string_view state,
                         std::string_view note) {
  Emit(trace::CoverageRecord{MonotonicNs(), source, state, note});
}

inline void EmitLoss(std::string_view kind, int64_t count,
                     std::string_view note) {
  Emit(trace::LossRecord{count, kind, note});
}

}  // namespace inquest::collector
