// SPDX-License-Identifier: Apache-2.0
#include "analyzer/perfetto/track_writer.h"

#include <protozero/pbf_writer.hpp>

namespace inquest::perfetto {
namespace {

using protozero::pbf_writer;

constexpr size_t kBuffer = 1u << 20;
constexpr uint32_t kSequence = 1;

// Numbers of fields.
namespace trace {
constexpr uint32_t kPacket = 1;
}
namespace packet {
constexpr uint32_t kClockSnapshot = 6;
constexpr uint32_t kTimestamp = 8;
constexpr uint32_t kSequenceId = 10;
constexpr uint32_t kTrackEvent = 11;
constexpr uint32_t kInternedData = 12;
constexpr uint32_t kSequenceFlags = 13;
constexpr uint32_t kTrackDescriptor = 60;
constexpr uint32_t kStateCleared = 1;  // flags
constexpr uint32_t kNeedsState = 2;
}  // namespace packet
namespace descriptor {
constexpr uint32_t kUuid = 1;
constexpr uint32_t kName = 2;
constexpr uint32_t kProcess = 3;
constexpr uint32_t kParent = 5;
constexpr uint32_t kCounter = 8;
constexpr uint32_t kChildOrder = 11;
constexpr uint32_t kRank = 12;
constexpr int kExplicit = 3;  // orders by rank
constexpr uint32_t kPid = 1;  // of a process
constexpr uint32_t kCommandLine = 2;
constexpr uint32_t kProcessName = 6;
constexpr uint32_t kUnit = 3;  // of a counter
constexpr uint32_t kUnitBytes = 3;
}  // namespace descriptor
namespace event {
constexpr uint32_t kArgument = 4;
constexpr uint32_t kType = 9;
constexpr uint32_t kNameId = 10;
constexpr uint32_t kTrack = 11;
constexpr uint32_t kExtraValues = 12;
constexpr uint32_t kCounterValue = 30;
constexpr uint32_t kExtraTracks = 31;
constexpr int kSliceBegin = 1;
constexpr int kSliceEnd = 2;
constexpr int kInstant = 3;
constexpr int kCounter = 4;
}  // namespace event
namespace argument {
constexpr uint32_t kNameId = 1;
constexpr uint32_t kNumber = 4;
constexpr uint32_t kText = 6;
constexpr uint32_t kAddress = 7;
}  // namespace argument
namespace clock {
constexpr uint32_t kClock = 1;  // of the snapshot
constexpr uint32_t kId = 1;
constexpr uint32_t kTime = 2;
constexpr uint32_t kRealTime = 1;
constexpr uint32_t kBootTime = 6;  // the trace's own
}  // namespace clock

}  // namespace

TrackWriter::TrackWriter(Sink sink) : sink_(std::move(sink)) {
  buffer_.reserve(kBuffer + (64u << 10));
}

void TrackWriter::Send() {
  pbf_writer whole(packet_);
  whole.add_uint32(packet::kSequenceId, kSequence);
  if (packets_ == 0) {
    whole.add_uint32(packet::kSequenceFlags,
                     packet::kStateCleared | packet::kNeedsState);
  } else {
    whole.add_uint32(packet::kSequenceFlags, packet::kNeedsState);
  }
  if (!new_names_.empty()) {
    whole.add_message(packet::kInternedData, new_names_);
    new_names_.clear();
  }
  const size_t before = buffer_.size();
  pbf_writer(buffer_).add_message(trace::kPacket, packet_);
  packet_.clear();
  ++packets_;
  bytes_ += static_cast<int64_t>(buffer_.size() - before);
  if (buffer_.size() < kBuffer) return;
  if (status_.ok()) status_ = sink_(buffer_);
  buffer_.clear();
}

Status TrackWriter::Finish() {
  if (status_.ok() && !buffer_.empty()) status_ = sink_(buffer_);
  buffer_.clear();
  return status_;
}

void TrackWriter::Begin(int64_t time) {
  part_.clear();
  for (const uint32_t id : {clock::kRealTime, clock::kBootTime}) {
    std::string one;
    pbf_writer writer(one);
    writer.add_uint32(clock::kId, id);
    writer.add_uint64(clock::kTime, static_cast<uint64_t>(time));
    pbf_writer(part_).add_message(clock::kClock, one);
  }
  pbf_writer(packet_).add_message(packet::kClockSnapshot, part_);
  Send();
}

Track TrackWriter::AddDescriptor(Track parent, std::string_view name,
                                 const std::string& rest) {
  part_.clear();
  pbf_writer writer(part_);
  writer.add_uint64(descriptor::kUuid, ++tracks_);
  if (parent != 0) writer.add_uint64(descriptor::kParent, parent);
  if (!name.empty()) {
    writer.add_string(descriptor::kName, name.data(), name.size());
  }
  part_ += rest;  // fields of the same message
  pbf_writer(packet_).add_message(packet::kTrackDescriptor, part_);
  Send();
  return tracks_;
}

Track TrackWriter::AddProcess(int64_t pid, std::string_view name,
                              std::string_view command) {
  std::string process;
  pbf_writer writer(process);
  writer.add_int32(descriptor::kPid, static_cast<int32_t>(pid));
  writer.add_string(descriptor::kCommandLine, command.data(), command.size());
  writer.add_string(descriptor::kProcessName, name.data(), name.size());
  std::string rest;
  pbf_writer all(rest);
  all.add_message(descriptor::kProcess, process);
  all.add_enum(descriptor::kChildOrder, descriptor::kExplicit);
  return AddDescriptor(0, "", rest);
}

Track TrackWriter::AddTrack(Track parent, std::string_view name, Row row) {
  std::string rest;
  pbf_writer(rest).add_int32(descriptor::kRank, static_cast<int32_t>(row));
  return AddDescriptor(parent, name, rest);
}

Track TrackWriter::AddCounter(Track parent, std::string_view name, Row row) {
  std::string counter, rest;
  pbf_writer(counter).add_enum(descriptor::kUnit, descriptor::kUnitBytes);
  pbf_writer all(rest);
  all.add_message(descriptor::kCounter, counter);
  all.add_int32(descriptor::kRank, static_cast<int32_t>(row));
  return AddDescriptor(parent, name, rest);
}

uint64_t TrackWriter::Intern(Interned* interned, std::string_view text) {
  const auto [at, is_new] = interned->known.try_emplace(
      std::string(text), interned->known.size() + 1);
  if (is_new) {
    std::string entry;
    pbf_writer writer(entry);
    writer.add_uint64(1, at->second);
    writer.add_string(2, text.data(), text.size());
    pbf_writer(new_names_).add_message(interned->field, entry);
  }
  return at->second;
}

void TrackWriter::AddArgument(const Argument& one, std::string* to) {
  part_.clear();
  pbf_writer writer(part_);
  writer.add_uint64(argument::kNameId, Intern(&argument_names_, one.name));
  switch (one.kind) {
    case Argument::Kind::kNumber:
      writer.add_int64(argument::kNumber, one.number);
      break;
    case Argument::Kind::kAddress:
      writer.add_uint64(argument::kAddress, static_cast<uint64_t>(one.number));
      break;
    case Argument::Kind::kText:
      writer.add_string(argument::kText, one.text.data(), one.text.size());
      break;
  }
  pbf_writer(*to).add_message(event::kArgument, part_);
}

// Of a counter's event the first count is its own value; the others go
// beside it, as with slices.
void TrackWriter::AddEvent(Track track, int64_t time, int type, uint64_t name,
                           const Arguments& arguments,
                           const std::vector<Count>& counts) {
  event_.clear();
  pbf_writer writer(event_);
  writer.add_enum(event::kType, type);
  writer.add_uint64(event::kTrack, track);
  if (name != 0) writer.add_uint64(event::kNameId, name);
  for (const Argument& one : arguments) AddArgument(one, &event_);
  const size_t own = type == event::kCounter ? 1 : 0;
  if (own == 1) writer.add_int64(event::kCounterValue, counts[0].value);
  for (size_t i = own; i < counts.size(); ++i) {
    if (counts[i].value == 0) continue;
    writer.add_uint64(event::kExtraTracks, counts[i].track);
    writer.add_int64(event::kExtraValues, counts[i].value);
  }
  pbf_writer whole(packet_);
  whole.add_uint64(packet::kTimestamp, static_cast<uint64_t>(time));
  whole.add_message(packet::kTrackEvent, event_);
  Send();
  // For the trace processor a zero ends the list of values beside an event.
  for (size_t i = own; i < counts.size(); ++i) {
    if (counts[i].value == 0) Set({counts[i]}, time);
  }
}

void TrackWriter::BeginSlice(Track track, int64_t time, uint64_t name,
                             const Arguments& arguments,
                             const std::vector<Count>& counts) {
  AddEvent(track, time, event::kSliceBegin, name, arguments, counts);
}

void TrackWriter::EndSlice(Track track, int64_t time,
                           const std::vector<Count>& counts) {
  AddEvent(track, time, event::kSliceEnd, 0, {}, counts);
}

void TrackWriter::Instant(Track track, int64_t time, uint64_t name,
                          const Arguments& arguments) {
  AddEvent(track, time, event::kInstant, name, arguments, {});
}

void TrackWriter::Set(const std::vector<Count>& counts, int64_t time) {
  AddEvent(counts.front().track, time, event::kCounter, 0, {}, counts);
}

}  // namespace inquest::perfetto
