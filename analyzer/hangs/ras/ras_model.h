// SPDX-License-Identifier: Apache-2.0
// What reports of NCCL's RAS service say, from its text, its JSON and its
// monitor. Filled by the readers, written by ras_facts.h. Plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace inquest::hangs {

struct RasLine {
  size_t source = 0;
  int64_t line = 0;
  int64_t offset = 0;
  std::string text;
};

// A rank of a communicator, or a process whose rank is unknown.
struct RasRank {
  std::optional<int64_t> rank, pid;
  std::string host, gpus;
};

// One row of the fact ras_state.
struct RasItem {
  std::string kind;
  RasLine at;
  std::string communicator;  // hash
  std::optional<int64_t> size;
  std::vector<RasRank> who;
  int64_t ranks = 0;  // how many, where not all are named
  std::string operation;
  std::optional<int64_t> launched, by_most, most;
  std::string said;
  std::optional<int64_t> time_limits;
};

struct RasReports {
  std::vector<RasItem> items;
  int64_t malformed = 0;
};

// Ranks beyond this are garbage that NCCL 2.27.3 prints.
inline constexpr int64_t kMaxRanks = 1 << 20;
inline constexpr size_t kMaxRasItems = 10'000;

}  // namespace inquest::hangs
