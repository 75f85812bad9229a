// SPDX-License-Identifier: Apache-2.0
// Perfetto's track events on the wire (protos/perfetto/trace of the Perfetto
// project: trace_packet.proto, track_descriptor.proto, track_event.proto). All
// packets belong to one sequence, so names are sent once and then numbered.
// Keeps at most a megabyte before it goes to the sink. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/perfetto/perfetto.h"

namespace inquest::perfetto {

using Track = uint64_t;  // its number in the file; 0: none

// The order of a process's tracks on the screen: what says most in least room
// comes first, and the thousand rows of allocations last.
enum class Row {
  kHeld,
  kHeldByKind,
  kDriver,
  kFramework,
  kSteps,
  kInstants,
  kCudnn,
  kBlocks,
};

// A value beside a slice or instant, shown when it is selected.
struct Argument {
  enum class Kind { kNumber, kAddress, kText };
  Argument(std::string_view of, int64_t value) : name(of), number(value) {}
  Argument(std::string_view of, std::string_view value)
      : name(of), kind(Kind::kText), text(value) {}
  static Argument Address(std::string_view of, uint64_t value) {
    Argument one(of, static_cast<int64_t>(value));
    one.kind = Kind::kAddress;
    return one;
  }

  std::string_view name;
  Kind kind = Kind::kNumber;
  int64_t number = 0;
  std::string_view text;
};
using Arguments = std::vector<Argument>;

// A new value of a counter.
struct Count {
  Track track;
  int64_t value;
};

class TrackWriter {
 public:
  explicit TrackWriter(Sink sink);

  // The parts of the picture. `time`: of the snapshot of clocks.
  void Begin(int64_t time);
  Track AddProcess(int64_t pid, std::string_view name,
                   std::string_view command);
  Track AddTrack(Track parent, std::string_view name, Row row);
  // Of bytes.
  Track AddCounter(Track parent, std::string_view name, Row row);

  // Names and texts as numbers that are sent once.
  uint64_t NameOf(std::string_view name) { return Intern(&names_, name); }

  // Counters may be written with a slice, which takes fewer bytes.
  void BeginSlice(Track track, int64_t time, uint64_t name,
                  const Arguments& arguments = {},
                  const std::vector<Count>& counts = {});
  void EndSlice(Track track, int64_t time,
                const std::vector<Count>& counts = {});
  void Instant(Track track, int64_t time, uint64_t name,
               const Arguments& arguments = {});
  // At least one.
  void Set(const std::vector<Count>& counts, int64_t time);

  // Sends what is left; returns the first failure of the sink.
  Status Finish();
  int64_t packets() const { return packets_; }
  int64_t bytes() const { return bytes_; }

 private:
  struct Interned {
    uint32_t field;  // of InternedData
    std::unordered_map<std::string, uint64_t> known = {};
  };

  uint64_t Intern(Interned* interned, std::string_view text);
  void AddEvent(Track track, int64_t time, int type, uint64_t name,
                const Arguments& arguments, const std::vector<Count>& counts);
  void AddArgument(const Argument& argument, std::string* event);
  Track AddDescriptor(Track parent, std::string_view name,
                      const std::string& rest);
  // Completes `packet_`.
  void Send();

  Sink sink_;
  Status status_;
  std::string packet_, event_, part_, buffer_;
  std::string new_names_;  // InternedData of the next packet
  Interned names_{2}, argument_names_{3};
  Track tracks_ = 0;
  int64_t packets_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace inquest::perfetto
