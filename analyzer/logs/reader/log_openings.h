// SPDX-License-Identifier: Apache-2.0
// Finds where a log begins anew, because another run appended to it: its first
// two lines again, whatever their digits. A job that is started again and again
// writes such a log. Internal to the log reader; used on one thread, with the
// blocks in their order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace inquest::ingest {

class Openings {
 public:
  struct Place {
    int64_t offset = 0;  // of its first byte in the log
    int64_t line = 0;    // its number
    std::string text;    // of that line
  };

  // The beginning of the log, of which only the first lines are read. What
  // begins with few words, or with a progress bar, never begins anew.
  void Begin(std::string_view head);
  // The places in a block of whole lines, in their order; of very many only
  // the last. The log's own beginning is the first of them, once there are two.
  std::vector<Place> Find(std::string_view block, int64_t offset,
                          int64_t first_line);

 private:
  bool OpensAt(std::string_view block, size_t line) const;

  std::string needle_;  // part of one of the lines, without digits; empty: none
  bool in_second_ = false;  // that line
  uint64_t first_ = 0;      // the forms of the two lines
  uint64_t second_ = 0;
  std::optional<Place> own_;  // until there is another one
  int64_t found_ = 0;
};

}  // namespace inquest::ingest
