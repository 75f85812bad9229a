// Which single change would have let a run survive: replays a history under
// each in turn and says what it would have needed. For `inquest whatif`.
//
// A change survives if every request is granted, the one that the run died of
// included. `needed` is the smallest device, as far as these requests go, on
// which that is so, found by bisection; the margin is what was left or missing.
// Sizes are bytes. Costs a few to a few dozen replays a change, on all cores;
// in histories of more than 200,000 requests the bisection is coarser.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/whatif/trials/simulate.h"

namespace inquest::whatif {

struct Options {
  std::optional<int64_t> device_memory;  // instead of what is recorded
  std::vector<std::string> settings;     // PyTorch's, to try together
  std::optional<double> batch;           // to try beside the largest
  std::string only;                      // a family of changes, "" all
};

// The families of changes, for `only`.
const std::vector<std::string>& Families();

enum class ChangeKind : uint8_t {
  kRecorded,    // none
  kSetting,     // of the allocator
  kDemand,      // of the program
  kDevice,      // of the machine
  kComparison,  // an allocator that this program cannot have by a setting
};

struct Change {
  ChangeKind kind = ChangeKind::kSetting;
  std::string family;      // torch, bfc, async, cuda-malloc, leak, batch, …
  std::string name;        // expandable_segments:True
  std::string setting;     // what to set or say, "" where there is nothing
  std::string assumption;  // "" where it is the model's alone
  bool estimate = false;
  bool afresh = false;           // what was live before was asked for anew
  std::optional<bool> survives;  // unknown where the device's size is
  // Whether it saves a run that died, and not only by a fresh start: with more
  // to spare than the recorded settings have after one.
  bool helps = false;
  int64_t peak_reserved = 0;
  int64_t peak_allocated = 0;
  std::optional<int64_t> needed;  // none: no device would do
  std::optional<int64_t> margin;  // left, or below 0 missing
  std::optional<double> factor;   // of the batch
  std::optional<Refused> refused;
};

// How the model of the recorded settings stands against the record.
struct Check {
  std::optional<int64_t> reserved_at_end;  // the model's
  std::optional<int64_t> segments_at_end;
  std::optional<int64_t> largest_free_at_end;  // inside the pool
  int64_t peak_reserved = 0;
  int64_t peak_segments = 0;
  // The same where what was live before is asked for anew.
  std::optional<int64_t> fresh_reserved_at_end;
  std::optional<int64_t> fresh_peak_reserved;
  // Where the run died of a request: whether the model refuses the same one.
  std::optional<bool> refuses_the_same;
};

struct Answer {
  Check check;
  std::vector<Change> changes;       // the recorded one first
  std::vector<std::string> untried;  // what could not be tried, and why
};

Expected<Answer> TryChanges(History* history, const Options& options);

}  // namespace inquest::whatif
