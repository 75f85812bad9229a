// SPDX-License-Identifier: Apache-2.0
// Which rank or node of a job a log is of, by its name, its folders and its
// first lines. Launchers and schedulers each name the files in their own way,
// and a name is only a convention, so every answer comes with its ground, which
// reports repeat; what the lines say beats the name. Used for folders of a job;
// pure functions, any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace re2 {
class RE2;
}

namespace inquest::ingest {

struct LogUnit {
  std::optional<int64_t> rank;        // in the job
  std::optional<int64_t> local_rank;  // among the processes of its node
  std::string host;
  std::optional<int64_t> attempt;  // of the launcher, from 0
  std::optional<int64_t> world;    // ranks of the job, as its lines say
  std::string rank_by;             // "the name rank3.log"
  std::string host_by;
  bool certain = false;  // the rank is stated in words, not a bare number
};

// `path` within the job's folder, with its subfolders.
LogUnit UnitOfPath(std::string_view path);

// What the beginning of a log says of its process. Without a rank if it has
// lines of several.
LogUnit UnitOfText(std::string_view head);

// How many ranks the job has, as the beginning of any log of it says; the
// largest number, since groups of ranks have worlds of their own.
std::optional<int64_t> WorldOfText(std::string_view head);

// `said` by the lines, `named` by the path.
LogUnit Combine(const LogUnit& said, const LogUnit& named);

// The user's own convention: a pattern with the groups rank, node and attempt,
// of which each may be missing.
class RankPattern {
 public:
  static Expected<RankPattern> Compile(const std::string& pattern);
  // Replaces what was inferred by what the pattern finds in the path.
  void Apply(std::string_view path, LogUnit* unit) const;

 private:
  std::shared_ptr<const re2::RE2> expression_;
  int rank_ = -1;  // numbers of the groups; -1: none
  int node_ = -1;
  int attempt_ = -1;
};

}  // namespace inquest::ingest
