// SPDX-License-Identifier: Apache-2.0
// Which single change would have let a run survive: replays a history under
// each change and says how much memory it would have needed. For `inquest
// whatif`.
//
// A run survives if every request is granted, including the one that it died
// of. `needed` is the smallest device memory for these requests alone with
// which it survives, found by bisection; the margin is what was left or
// missing. Sizes are bytes.
//
// Each model is first held against the record. If it is off by more than
// kMaxOff, or there is nothing to hold it against, the changes that rest on it
// are withheld. Where the run died and leaks, a change that does not end the
// leak only puts the end off, by `more_steps`: it does not survive. A run that
// was not refused anything survives if what it requested is granted.
//
// A change costs a few to a few dozen replays, on all
// cores; for more than 200,000 requests the bisection is coarser.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/whatif/trials/simulate.h"

namespace inquest::whatif {

inline constexpr double kMaxOff = 0.02;

struct Options {
  std::optional<int64_t> device_memory;  // instead of the recorded one
  std::vector<std::string> settings;     // PyTorch's, to try together
  std::optional<double> batch;           // to try besides the largest
  std::string only;                      // a family of changes; "": all
};

// The families of changes, for `only`.
const std::vector<std::string>& Families();

enum class ChangeKind : uint8_t {
  kRecorded,    // none
  kSetting,     // of the allocator
  kDemand,      // of the program
  kDevice,      // of the machine
  kComparison,  // an allocator that no setting gives this program
};

struct Change {
  ChangeKind kind = ChangeKind::kSetting;
  std::string family;      // torch, bfc, async, cuda-malloc, leak, batch, …
  std::string name;        // expandable_segments:True
  std::string setting;     // what to set or do; may be empty
  std::string assumption;  // empty: only those of the model
  bool estimate = false;
  bool afresh = false;  // earlier blocks were allocated again
  // Unknown if the device's size is, or that of the request it died of.
  std::optional<bool> survives;
  // Whether a run that died survives, with a larger margin than the recorded
  // settings have after the same fresh start.
  bool helps = false;
  int64_t peak_reserved = 0;
  int64_t peak_allocated = 0;
  std::optional<int64_t> needed;  // none: no device is large enough
  std::optional<int64_t> margin;  // left; below 0: missing
  std::optional<double> factor;   // of the batch
  // Of an estimate: what its least and most favourable assumptions give.
  std::optional<int64_t> least_reserved, most_reserved;
  std::optional<int64_t> least_allocated, most_allocated;
  // Of an estimate: whether the run survives even with the least favourable,
  // and whether it does with any of them.
  std::optional<bool> surely, possibly;
  // The run leaks on: after so many more steps the rest is gone.
  std::optional<int64_t> more_steps;
  std::optional<Refused> refused;
};

// The model with the recorded settings, to compare with the record.
struct Check {
  std::optional<int64_t> reserved_at_end;  // the model's
  std::optional<int64_t> segments_at_end;
  std::optional<int64_t> largest_free_at_end;  // inside the pool
  int64_t peak_reserved = 0;
  int64_t peak_segments = 0;
  // The same if the earlier blocks are allocated again.
  std::optional<int64_t> fresh_reserved_at_end;
  std::optional<int64_t> fresh_peak_reserved;
  // If the run died of a request: whether the model refuses the same request.
  std::optional<bool> refuses_the_same;
};

struct Answer {
  Check check;
  std::vector<Change> changes;       // the recorded one first
  std::vector<std::string> untried;  // what could not be tried, and why
  bool withheld = false;             // the model does not agree with the record
};

Expected<Answer> TryChanges(History* history, const Options& options);

}  // namespace inquest::whatif
