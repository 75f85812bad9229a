// SPDX-License-Identifier: Apache-2.0
// The individual prefixes that log_prefix.h strips. Each form is a small parser
// in one of the log_carriers_*.cc, chosen by the line's first byte. Internal to
// logs.
#pragma once

#include "analyzer/logs/carriers/log_prefix.h"
#include "analyzer/logs/carriers/log_scan.h"

namespace inquest::ingest {

struct Carrier {
  size_t length = 0;  // bytes to strip
  std::optional<int64_t> rank;
  bool local_rank = false;  // it may count only the node's processes
  std::optional<int64_t> pid;
  std::optional<int64_t> device;
  std::optional<std::string_view> host;
  std::optional<LogStamp> stamp;
  std::optional<int64_t> boot_ns;
  bool kernel = false;
  bool partial = false;
};

// Finds the outermost prefix of the line; false if it has none.
bool TakeCarrier(std::string_view line, const PrefixProfile& profile,
                 Carrier* out);

// log_carriers_loggers.cc: the contents of a logger's header besides the time:
// "[Rank 3]", NCCL's "host:pid:tid [dev] ". Strips nothing.
void ReadLogger(std::string_view line, Carrier* out);

// "DP0 TP3", "TP3_EP3": the rank, if only tensor parallelism counts the
// processes; empty if another dimension multiplies it.
std::optional<int64_t> RankOfParts(std::string_view parts, char separator);

// log_carriers_ranks.cc: torchrun, mpirun, Ray, kubectl.
bool TakeLauncher(Cursor c, Carrier* out);
bool TakeBracket(Cursor c, Carrier* out);
bool TakeTask(Cursor c, Carrier* out);
bool TakeParen(Cursor c, Carrier* out);
bool TakeBar(Cursor c, Carrier* out);

// log_carriers_system.cc: dmesg, syslog, the journal, containers.
bool TakeKernelBracket(Cursor c, Carrier* out);
bool TakeAngle(Cursor c, Carrier* out);
bool TakeStamped(Cursor c, Carrier* out);
bool TakeKmsg(Cursor c, Carrier* out);
bool TakeNamedStamp(Cursor c, Carrier* out);
bool TakeFacility(Cursor c, Carrier* out);

// log_carriers_labels.cc: the ambiguous ones, for profiles too.
bool TakeSrunLabel(Cursor c, Carrier* out);
bool TakeMpichRank(Cursor c, Carrier* out);
bool TakePdshHost(Cursor c, Carrier* out);
bool TakeCompose(Cursor c, Carrier* out);
bool TakeUniqCount(Cursor c, Carrier* out);
bool TakeReplica(Cursor c, Carrier* out);
bool TakeQuote(Cursor c, Carrier* out);
bool TakeStreamName(Cursor c, Carrier* out);

}  // namespace inquest::ingest
