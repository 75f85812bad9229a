// SPDX-License-Identifier: Apache-2.0
// Journal records of the run and of its recording: messages, steps, which
// source was recording, and what was lost. Fields and their units are those of
// schema.sql; an empty text or kNoNumber is NULL there. Their order is part of
// the journal's format: append only.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/records/codec.h"
#include "trace/records/record_kinds.h"

namespace inquest::trace {

struct MessageRecord {
  static constexpr RecordKind kKind = RecordKind::kMessage;
  int64_t time_ns = 0;
  std::string_view source, severity, text;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(source), f(severity), f(text);
  }
};

struct StepBeginRecord {
  static constexpr RecordKind kKind = RecordKind::kStepBegin;
  int64_t begin_ns = 0, end_ns = kNoNumber;  // a mark has both
  uint32_t thread = 0;
  std::string_view name;
  template <typename F>
  void Fields(F&& f) {
    f(begin_ns), f(end_ns), f(thread), f(name);
  }
};

struct StepEndRecord {
  static constexpr RecordKind kKind = RecordKind::kStepEnd;
  uint64_t begin = 0;  // ticket of the step's beginning
  int64_t end_ns = 0;
  template <typename F>
  void Fields(F&& f) {
    f(begin), f(end_ns);
  }
};

// A source's new state; it ends the state that the source was in.
struct CoverageRecord {
  static constexpr RecordKind kKind = RecordKind::kCoverage;
  int64_t time_ns = 0;
  std::string_view source, state, note;
  template <typename F>
  void Fields(F&& f) {
    f(time_ns), f(source), f(state), f(note);
  }
};

struct LossRecord {  // adds to what was lost of `kind` so far
  static constexpr RecordKind kKind = RecordKind::kLoss;
  int64_t count = 0;
  std::string_view kind, note;
  template <typename F>
  void Fields(F&& f) {
    f(count), f(kind), f(note);
  }
};

struct MetaRecord {
  static constexpr RecordKind kKind = RecordKind::kMeta;
  std::string_view key, value;
  template <typename F>
  void Fields(F&& f) {
    f(key), f(value);
  }
};

}  // namespace inquest::trace
