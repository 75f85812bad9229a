// SPDX-License-Identifier: Apache-2.0
// Lines that an artefact's reader quotes as evidence become events of the log,
// so that reports show them as they show all others. A line that a signature
// recognised has its event already. Called after all logs were read.
#pragma once

#include <optional>
#include <string_view>

#include "analyzer/facts/store/store.h"

namespace inquest::hangs {

struct QuotedLine {
  size_t source = 0;  // in the order of reading, from 0
  int64_t line = 0;
  int64_t offset = 0;
  std::optional<int64_t> rank, pid;
  std::string_view text;
  std::string_view signature;
};

class QuotedLines {
 public:
  static Expected<QuotedLines> Make(facts::Store* store);
  // log_event.id.
  Expected<int64_t> Add(const QuotedLine& quoted);

 private:
  facts::Store* store_ = nullptr;
  Statement find_;
  Statement insert_;
};

}  // namespace inquest::hangs
