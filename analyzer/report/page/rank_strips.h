// SPDX-License-Identifier: Apache-2.0
// The ranks of a job over time, read from whatever tells their times: recorded
// processes, logs, flight recorders. For rank_data.cc. Times are nanoseconds
// since 1970 by the job's clock, as far as the clocks are related.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/page/page_data.h"

namespace inquest::report {

// Texts that many rows share, each written once.
class Names {
 public:
  size_t Number(const std::string& name);
  const nlohmann::json& list() const { return list_; }

 private:
  std::map<std::string, size_t> numbers_;
  nlohmann::json list_ = nlohmann::json::array();
};

enum class SpanState : uint8_t {
  kDone,
  kPending,   // it did not complete
  kTimedOut,  // a watchdog gave up on it
  kStep,      // of training
};

struct RankSpan {
  int64_t rank = 0, begin = 0;
  std::optional<int64_t> end;  // none: it did not end
  std::string name;
  SpanState state = SpanState::kDone;
};

struct RankMark {
  int64_t rank = 0, time = 0;
  std::string signature, text;
};

struct RankStrip {
  std::string host;
  std::optional<int64_t> from, to;  // the first and last time that is known
};

struct RankStrips {
  std::map<int64_t, RankStrip> ranks;
  std::vector<RankSpan> spans;
  std::vector<RankMark> marks;
};

// At most `most` ranks; of each the last spans and the first marks, so that all
// are bounded however many there are.
Expected<RankStrips> ReadRankStrips(const PageSource& source, size_t most);

}  // namespace inquest::report
