// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/carriers/log_carriers.h"

#include <algorithm>

namespace inquest::ingest {
namespace {

bool TakeAmbiguous(const Cursor& c, const PrefixProfile& profile,
                   Carrier* out) {
  return (profile.uniq_count && TakeUniqCount(c, out)) ||
         (profile.quote && TakeQuote(c, out)) ||
         (profile.srun_label && TakeSrunLabel(c, out)) ||
         (profile.mpich_rank && TakeMpichRank(c, out)) ||
         (profile.compose && TakeCompose(c, out)) ||
         (profile.replica && TakeReplica(c, out)) ||
         (profile.pdsh_host && TakePdshHost(c, out));
}

// "2031-02-03 04:05:06 [rank3]: ": any stamp, if a launcher's prefix follows.
bool TakeLabelled(Cursor c, Carrier* out) {
  const auto stamp = ParseStamp(c.rest());
  if (!stamp) return false;
  c.set(c.at() + stamp->length);
  while (c.TakeAny(" :-|")) {
  }
  Carrier behind;
  if (!TakeLauncher(c, &behind)) return false;
  out->stamp = stamp;
  out->length = c.at();
  return true;
}

// "  | 2031-02-03T04:05:06Z | (Worker pid=12) ": the columns of a viewer,
// copied with its hard spaces.
bool TakeColumns(Cursor c, Carrier* out) {
  while (c.TakeAny(" \xc2\xa0")) {
  }
  return c.Take("| ") && TakeLabelled(c, out);
}

// "messages:Jun 17 20:18:08 node1 ": grep's name of a file, before a stamp.
bool TakeFileName(Cursor c, Carrier* out) {
  constexpr size_t kMaxName = 120;
  const std::string_view line = c.rest();
  const size_t colon = line.substr(0, kMaxName).find(':');
  if (colon == line.npos || colon < 3 || colon + 1 >= line.size() ||
      line[colon + 1] == ' ') {
    return false;
  }
  const std::string_view name = line.substr(0, colon);
  const bool path = std::all_of(name.begin(), name.end(), [](char at) {
    return IsNameChar(at) || at == '/' || at == '.';
  });
  if (!path || !ParseStamp(line.substr(colon + 1))) return false;
  out->length = colon + 1;
  return true;
}

}  // namespace

bool TakeCarrier(std::string_view line, const PrefixProfile& profile,
                 Carrier* out) {
  const Cursor c(line);
  const char first = c.peek();
  bool taken = false;
  if (first == '[') {
    taken = TakeBracket(c, out) || TakeKernelBracket(c, out);
  } else if (first == '(') {
    taken = TakeParen(c, out);
  } else if (first == '<') {
    taken = TakeAngle(c, out);
  } else if (first == '|') {
    taken = TakeBar(c, out) || TakeColumns(c, out);
  } else if (first == ' ' || first == '\xc2') {
    taken = TakeColumns(c, out);
  } else if (IsDigit(first)) {
    taken = TakeStamped(c, out) || TakeKmsg(c, out) || TakeLabelled(c, out);
  } else if (IsUpper(first)) {
    taken = TakeNamedStamp(c, out);
  } else if (IsLower(first)) {
    taken = TakeFacility(c, out);
  }
  if (!taken && (IsLower(first) || IsUpper(first))) {
    taken = TakeTask(c, out) || TakeStreamName(c, out);
  }
  if (!taken && (IsLower(first) || IsUpper(first) || first == '/')) {
    taken = TakeFileName(c, out);
  }
  return taken || TakeAmbiguous(c, profile, out);
}

}  // namespace inquest::ingest
