#include "collector/stacks.h"

#include <link.h>
#include <unwind.h>

#include <cstddef>
#include <cstring>

#include "collector/seen_table.h"
#include "collector/session.h"

namespace inquest::collector {
namespace {

// By the hash of the addresses; a stack's id is the number of its place.
constinit SeenTable<1u << 14> g_seen;

struct Range {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

int FindOwnRange(dl_phdr_info* info, size_t, void* out) {
  const auto here = reinterpret_cast<uintptr_t>(&FindOwnRange);
  Range range{UINTPTR_MAX, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    const uintptr_t end = begin + info->dlpi_phdr[i].p_memsz;
    if (begin < range.begin) range.begin = begin;
    if (end > range.end) range.end = end;
  }
  if (here < range.begin || here >= range.end) return 0;
  *static_cast<Range*>(out) = range;
  return 1;
}

const Range& OwnRange() {
  static const Range range = [] {
    Range found;
    dl_iterate_phdr(FindOwnRange, &found);
    return found;
  }();
  return range;
}

struct Walk {
  Range own;
  trace::StackRecord* record;
};

_Unwind_Reason_Code AddFrame(_Unwind_Context* context, void* argument) {
  auto* walk = static_cast<Walk*>(argument);
  const uintptr_t address = _Unwind_GetIP(context);
  if (address == 0) return _URC_END_OF_STACK;
  trace::StackRecord& record = *walk->record;
  const bool ours = address >= walk->own.begin && address < walk->own.end;
  if (!ours) record.frames[record.count++] = address;
  return record.count < trace::kMaxFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

uint64_t Hash(const trace::StackRecord& record) {
  uint64_t hash = 0x9e3779b97f4a7c15u + record.count;
  for (uint32_t i = 0; i < record.count; ++i) {
    hash = (hash ^ record.frames[i]) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash == 0 ? 1 : hash;
}

void Journal(const trace::StackRecord& record) {
  Session* session = Current();
  if (session == nullptr) return;
  const size_t bytes = offsetof(trace::StackRecord, frames) +
                       record.count * sizeof record.frames[0];
  session->journal->Append(static_cast<uint32_t>(trace::RecordKind::kStack),
                           {reinterpret_cast<const char*>(&record), bytes},
                           trace::Journal::Full::kWait);
}

uint32_t Intern(trace::StackRecord* record) {
  const auto place = g_seen.Enter(Hash(*record));
  if (place.number == 0) {
    g_seen.CountLost("stack",
                     "more different call stacks than the table holds");
  }
  record->id = place.number;
  if (place.is_new) Journal(*record);
  return place.number;
}

}  // namespace

uint32_t CaptureStack() {
  const Session* session = Current();
  if (session == nullptr || !session->config.stacks) return 0;
  trace::StackRecord record;
  Walk walk{OwnRange(), &record};
  _Unwind_Backtrace(AddFrame, &walk);
  return record.count == 0 ? 0 : Intern(&record);
}

void ForgetStacks() {
  g_seen.Forget();
}

}  // namespace inquest::collector
