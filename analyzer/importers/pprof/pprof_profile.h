// SPDX-License-Identifier: Apache-2.0
// The contents of a pprof profile (profile.proto), as far as a device memory
// profile needs them: samples with their values and labels, and the stacks that
// they refer to. Filled by ReadPprof, in file order; names are indexes into the
// string table, which writers put last.
//
// Source: github.com/google/pprof/proto/profile.proto; the writer of JAX's
// profiles is xla/python (PyClient::HeapProfile, PprofProfileBuilder).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/importers/common/proto_stream.h"

namespace inquest::importers {

struct PprofValueType {
  uint64_t type = 0;  // texts
  uint64_t unit = 0;
};

struct PprofLine {
  uint64_t function = 0;
  int64_t line = 0;
};

struct PprofFunction {
  uint64_t name = 0;  // texts
  uint64_t file = 0;
};

struct PprofSample {
  static constexpr size_t kValues = 4;
  static constexpr size_t kLabels = 4;
  std::array<int64_t, kValues> values{};
  std::array<std::pair<uint64_t, uint64_t>, kLabels> labels{};  // key, text
  uint32_t stack = 0;
};

// Far more than a program has live at one moment; all limits together fit into
// a laptop's memory.
struct PprofLimits {
  size_t samples = 2u << 20;
  size_t places = 16u << 20;       // of locations in stacks
  size_t records = 4u << 20;       // locations, their lines, functions, texts
  size_t text_bytes = 256u << 20;  // of all texts
};

struct PprofProfile {
  std::vector<PprofValueType> types;
  std::vector<PprofSample> samples;
  // Locations, innermost first; stack 0 is the empty one.
  std::vector<std::vector<uint64_t>> stacks = {{}};
  std::unordered_map<uint64_t, std::vector<PprofLine>> locations;
  std::unordered_map<uint64_t, PprofFunction> functions;
  std::vector<std::string> texts;
  int64_t time_ns = 0;      // 0: unknown
  bool has_period = false;  // it samples something
  uint64_t damaged = 0;     // malformed nested messages

  // Empty if there is no such text.
  const std::string& Text(uint64_t number) const;
};

// With kUnreadable and kIncomplete the profile has what precedes the fault.
Status ReadPprof(ProtoStream* stream, const PprofLimits& limits,
                 PprofProfile* profile);

// How to read a profile's samples.
struct PprofMeaning {
  size_t count = 0;  // indexes of the values in a sample
  size_t bytes = 0;
  int64_t time_ns = 0;
  std::string fault;  // why not everything could be read
};
Status WritePprofTrace(const PprofProfile& profile, const PprofMeaning& meaning,
                       const std::string& path);

// Whether a profile has such an outermost field.
bool IsPprofField(uint32_t field, ProtoStream::Wire wire);
// Whether the bytes are exactly a ValueType.
bool IsPprofValueType(std::string_view message);

}  // namespace inquest::importers
