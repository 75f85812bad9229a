// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/carriers/log_prefix.h"

#include <algorithm>

#include "analyzer/logs/carriers/log_carriers.h"

namespace inquest::ingest {
namespace {

constexpr int kMaxPrefixes = 8;

// How informative a stamp is: first its zone, then its year, then its date.
int Worth(const LogStamp& stamp) {
  switch (stamp.clock) {
    case LogStamp::Clock::kUtc:
    case LogStamp::Clock::kEpoch:
      return 4;
    case LogStamp::Clock::kLocal:
      return stamp.year > 0 ? 3 : stamp.month > 0 ? 2 : 1;
    case LogStamp::Clock::kBoot:
      break;
  }
  return 0;
}

void Note(const LogStamp& stamp, Prefixed* out) {
  if (stamp.clock == LogStamp::Clock::kBoot) out->boot_ns = stamp.ns;
  if (!out->stamp || Worth(stamp) > Worth(*out->stamp)) out->stamp = stamp;
}

// An inner prefix is more reliable: a launcher's label may be only the rank on
// its node.
void Merge(const Carrier& carrier, const PrefixProfile& profile,
           Prefixed* out) {
  const bool of_node = carrier.local_rank && profile.node_labels;
  if (carrier.rank && !of_node) out->rank = carrier.rank;
  if (carrier.pid) out->pid = carrier.pid;
  if (carrier.device) out->device = carrier.device;
  if (carrier.host) out->host = carrier.host;
  if (carrier.stamp) Note(*carrier.stamp, out);
  if (carrier.boot_ns) out->boot_ns = carrier.boot_ns;
  out->kernel = out->kernel || carrier.kernel;
  out->partial = out->partial || carrier.partial;
}

// A line that was pasted as code in Markdown.
std::string_view WithoutBackticks(std::string_view line) {
  const bool quoted = line.size() > 2 && line.front() == '`' &&
                      line.find('`', 1) == line.size() - 1;
  return quoted ? line.substr(1, line.size() - 2) : line;
}

}  // namespace

Prefixed StripPrefixes(std::string_view line, const PrefixProfile& profile) {
  Prefixed out;
  line = WithoutBackticks(line);
  bool global = false;  // a prefix has the rank in the job
  for (int i = 0; i < kMaxPrefixes && !line.empty(); ++i) {
    Carrier carrier;
    if (!TakeCarrier(line, profile, &carrier) || carrier.length == 0) break;
    Merge(carrier, profile, &out);
    if (carrier.rank) global = !carrier.local_rank;
    line.remove_prefix(std::min(carrier.length, line.size()));
    if (out.partial) break;
  }
  out.text = line;
  out.global_rank = global;
  if (const auto stamp = ParseStamp(line)) Note(*stamp, &out);
  Carrier logger;
  ReadLogger(line, &logger);
  if (global && logger.rank) {
    // The logger's rank is within its process group.
    if (*logger.rank != *out.rank && line.starts_with('[')) {
      out.group_rank = logger.rank;
    }
    logger.rank.reset();
  }
  Merge(logger, profile, &out);
  return out;
}

}  // namespace inquest::ingest
