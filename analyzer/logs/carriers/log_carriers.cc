// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/carriers/log_carriers.h"

namespace inquest::ingest {
namespace {

bool TakeAmbiguous(const Cursor& c, const PrefixProfile& profile,
                   Carrier* out) {
  return (profile.uniq_count && TakeUniqCount(c, out)) ||
         (profile.srun_label && TakeSrunLabel(c, out)) ||
         (profile.mpich_rank && TakeMpichRank(c, out)) ||
         (profile.compose && TakeCompose(c, out)) ||
         (profile.pdsh_host && TakePdshHost(c, out));
}

// "[Rank 3]", "[PG ID 0 PG GUID 0(default_pg) Rank 3]" in the header.
void ReadRank(std::string_view line, Carrier* out) {
  constexpr size_t kReach = 200;
  const std::string_view head = line.substr(0, kReach);
  for (size_t at = head.find("Rank "); at != head.npos;
       at = head.find("Rank ", at + 1)) {
    if (at == 0 || (head[at - 1] != '[' && head[at - 1] != ' ')) continue;
    const size_t open = head.rfind('[', at);
    if (open == head.npos || head.find(']', open) < at) continue;
    Cursor c(head.substr(at + 5));
    const auto rank = c.Number(6);
    if (rank && (c.peek() == ']' || c.peek() == ' ')) {
      out->rank = rank;
      return;
    }
  }
}

// "[2031-02-03 04:05:06] node1:1234:1250 [0] NCCL INFO …"
void ReadNccl(std::string_view line, Carrier* out) {
  const size_t mark = line.substr(0, 300).find("NCCL ");
  if (mark == line.npos) return;
  Cursor c(line);
  if (c.peek() == '[') {
    const size_t close = line.find("] ");
    if (close >= mark) return;
    c.set(close + 2);
  }
  const std::string_view host = c.While(IsNameChar);
  if (host.empty() || !c.Take(':')) return;
  const auto pid = c.Number(9);
  if (!pid || !c.Take(':') || !c.Number(9) || c.peek() != ' ') return;
  out->host = host;
  out->pid = pid;
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
    taken = TakeBar(c, out);
  } else if (IsDigit(first)) {
    taken = TakeStamped(c, out) || TakeKmsg(c, out);
  } else if (IsUpper(first)) {
    taken = TakeNamedStamp(c, out);
  } else if (IsLower(first)) {
    taken = TakeFacility(c, out);
  }
  return taken || TakeAmbiguous(c, profile, out);
}

void ReadLogger(std::string_view line, Carrier* out) {
  if (!line.empty() && line[0] == '[') ReadRank(line, out);
  ReadNccl(line, out);
}

}  // namespace inquest::ingest
