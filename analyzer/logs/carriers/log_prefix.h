// SPDX-License-Identifier: Apache-2.0
// Strips the prefixes that launchers and log systems put before a line: ranks
// (torchrun, srun, mpirun), workers (Ray), containers (CRI, compose, kubectl),
// syslog, dmesg; and returns the rank, process, host and time they contain. The
// header of the program's own logger ("[E203 04:05:06.07 x.cpp:42] ") is read
// for time and rank but stays, since patterns may need it. Ambiguous forms (`3:
// `, `host: `) count only if most lines of the log have them, which its
// beginning shows. Prefixes nest; they are stripped one after another, at most
// kMaxPrefixes.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analyzer/logs/carriers/log_time.h"

namespace inquest::ingest {

// Which ambiguous forms this log uses, according to its first lines.
struct PrefixProfile {
  bool srun_label = false;  // "3: text"
  bool mpich_rank = false;  // "[3] text"
  bool pdsh_host = false;   // "node7: text"
  bool compose = false;     // "trainer-1  | text"
  bool replica = false;     // "pretrain/0 text"
  bool uniq_count = false;  // "      2 text"
  bool quote = false;       // "> text"
  bool cri = false;         // Kubernetes' files: partial lines are joined
  bool json_lines = false;  // Docker's or the journal's JSON, line by line
  bool kernel = false;      // most stamped lines are the kernel's
  // "[default3]:" counts the processes of a node, and there are several nodes.
  bool node_labels = false;
};

// `head` is the log's beginning, a few hundred lines of it.
PrefixProfile ProfileOf(std::string_view head);

struct Prefixed {
  std::string_view text;  // what remains
  std::optional<int64_t> rank;
  bool global_rank = false;  // a launcher says it; a logger may count a group
  // The rank within its process group, if that differs.
  std::optional<int64_t> group_rank;
  std::optional<int64_t> pid;
  std::optional<int64_t> device;
  std::optional<std::string_view> host;
  std::optional<LogStamp> stamp;  // the most informative one
  std::optional<int64_t>
      boot_ns;           // the kernel's own, also in addition to another
  bool kernel = false;   // a line of the kernel's log
  bool partial = false;  // CRI: the line continues in the next
};

Prefixed StripPrefixes(std::string_view line, const PrefixProfile& profile);

}  // namespace inquest::ingest
