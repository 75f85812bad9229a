// SPDX-License-Identifier: Apache-2.0
// Journal records of calls: those of CUDA that failed, and all of cuDNN. Fields
// and their units are those of schema.sql; an empty text or kNoNumber is NULL
// there. Their order is part of the journal's format: append only.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/records/codec.h"
#include "trace/records/record_kinds.h"

namespace inquest::trace {

struct ApiErrorRecord {
  static constexpr RecordKind kKind = RecordKind::kApiError;
  int64_t time_ns = 0, result = 0;
  uint32_t thread = 0, stack = 0;
  int16_t device = -1;
  bool sticky = false;
  std::string_view api, function, name, text;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(result), f(thread), f(stack), f(device), f(sticky), f(api);
    f(function), f(name), f(text);
  }
};

// One more call equal to the one whose record has ticket `first`.
struct ApiErrorRepeatRecord {
  static constexpr RecordKind kKind = RecordKind::kApiErrorRepeat;
  uint64_t first = 0;
  uint32_t count = 1;
  template <typename F>
  void Fields(F&& f) {
    f(first);
    f(count);
  }
};

struct CudnnCallRecord {
  static constexpr RecordKind kKind = RecordKind::kCudnnCall;
  int64_t time_ns = 0, duration_ns = 0;
  uint64_t handle = 0;
  int32_t result = 0;
  uint32_t thread = 0;
  std::string_view function, detail;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(duration_ns), f(handle), f(result), f(thread), f(function);
    f(detail);
  }
};

// Calls with the same outcome, which are only counted.
struct CudnnStatRecord {
  static constexpr RecordKind kKind = RecordKind::kCudnnStat;
  int64_t calls = 0, total_ns = 0, max_ns = 0;
  int32_t result = 0;
  std::string_view function;
  template <typename F>
  void Fields(F&& f) {
    f(calls), f(total_ns), f(max_ns), f(result), f(function);
  }
};

// The layer that calls work on: its descriptors in words, once per process.
struct CudnnOperationRecord {
  static constexpr RecordKind kKind = RecordKind::kCudnnOperation;
  uint64_t id = 0;
  std::string_view function, text;
  template <typename F>
  void Fields(F&& f) {
    f(id), f(function), f(text);
  }
};

// A call of a function that takes an algorithm and a workspace, as collectors
// wrote it before CudnnTurnRecord existed. It replaces the call's
// CudnnCallRecord.
struct CudnnRunRecord {
  static constexpr RecordKind kKind = RecordKind::kCudnnRun;
  CudnnCallRecord call;
  uint64_t operation = 0;  // CudnnOperationRecord::id, 0 unknown
  uint64_t workspace_bytes = 0;
  int32_t algorithm = 0;  // number in the function's own enum
  template <typename F>
  void Fields(F&& f) {
    call.Fields(f);
    f(operation), f(workspace_bytes), f(algorithm);
  }
};

// How an operation was run. Precedes the first CudnnTurnRecord that names it.
struct CudnnChoiceRecord {
  static constexpr RecordKind kKind = RecordKind::kCudnnChoice;
  uint64_t id = 0;  // hash of what follows, above 0
  uint64_t operation = 0;
  int64_t workspace_bytes = 0, workspace_asked = kNoNumber;
  int32_t algorithm = 0;
  std::string_view function, knobs;
  template <typename F>
  void Fields(F&& f) {
    f(id), f(operation), f(workspace_bytes), f(workspace_asked), f(algorithm);
    f(function), f(knobs);
  }
};

// A call that worked on an operation, instead of its CudnnCallRecord: one slot
// of the journal if it has no detail.
struct CudnnTurnRecord {
  static constexpr RecordKind kKind = RecordKind::kCudnnTurn;
  int64_t time_ns = 0, duration_ns = 0;
  uint64_t handle = 0;
  uint64_t choice = 0;  // CudnnChoiceRecord::id
  int32_t result = 0;
  uint32_t thread = 0;
  std::string_view detail;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(duration_ns), f(handle), f(choice), f(result), f(thread);
    f(detail);
  }
};

}  // namespace inquest::trace
