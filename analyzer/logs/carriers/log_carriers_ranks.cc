// SPDX-License-Identifier: Apache-2.0
// Prefixes that launchers put before their processes' lines.

#include <algorithm>

#include "analyzer/logs/carriers/log_carriers.h"

namespace inquest::ingest {
namespace {

bool Done(Cursor* c, Carrier* out) {
  c->Take(' ');
  out->length = c->at();
  return true;
}

// "[rank3]:", "[default3]:" (the role's name and the rank on the node).
bool TakeTorchrun(Cursor c, Carrier* out) {
  if (!c.Take('[')) return false;
  const auto word = [](char x) { return IsAlpha(x) || x == '_' || x == '-'; };
  const std::string_view role = c.While(word);
  if (role.empty()) return false;
  const auto rank = c.Number(6);
  if (!rank || !c.Take("]:")) return false;
  out->rank = rank;
  out->local_rank = role != "rank";
  return Done(&c, out);
}

// "[rank: 3] ", as Lightning writes.
bool TakeLightning(Cursor c, Carrier* out) {
  if (!c.Take("[rank: ")) return false;
  const auto rank = c.Number(6);
  if (!rank || !c.Take("] ")) return false;
  out->rank = rank;
  out->length = c.at();
  return true;
}

// "<stdout>:", as Open MPI and its successors write after the brackets.
bool TakeStream(Cursor* c) {
  return c->Take("<stdout>:") || c->Take("<stderr>:") || c->Take("<stddiag>:");
}

// "[1,3]<stderr>:", "[1,mpirank:3,algo-1]<stdout>:", "[job@1,3]<stdout>:"
bool TakeOpenMpi(Cursor c, Carrier* out) {
  if (!c.Take('[')) return false;
  const auto job = [](char x) { return IsNameChar(x) || x == '@'; };
  if (c.While(job).empty() || !c.Take(',')) return false;
  c.Take("mpirank:");
  const auto rank = c.Number(7);
  if (!rank) return false;
  if (c.Take(',')) {
    const std::string_view host = c.While(IsNameChar);
    if (!host.empty()) out->host = host;
  }
  if (!c.Take(']')) return false;
  if (c.Take('[')) {  // PRRTE may add a second pair
    c.While([](char x) { return x != ']'; });
    if (!c.Take(']')) return false;
  }
  if (!TakeStream(&c)) return false;
  out->rank = rank;
  return Done(&c, out);
}

// "[pod/example-worker-3/main] "
bool TakePod(Cursor c, Carrier* out) {
  if (!c.Take("[pod/")) return false;
  const std::string_view pod = c.While(IsNameChar);
  if (pod.empty() || !c.Take('/') || c.While(IsNameChar).empty() ||
      !c.Take("] ")) {
    return false;
  }
  out->host = pod;
  out->length = c.at();
  return true;
}

// The list inside Ray's and SkyPilot's parentheses: "pid=1, ip=10.0.0.1".
void ReadPairs(std::string_view list, Carrier* out) {
  while (!list.empty()) {
    Cursor c(list.substr(0, list.find_first_of(", ")));
    if (c.Take("pid=")) out->pid = c.Number(9);
    if (c.Take("ip=") && !c.done()) out->host = c.rest();
    const size_t next = list.find_first_of(", ");
    if (next == list.npos) return;
    list.remove_prefix(next + 1);
  }
}

}  // namespace

// Prefixes that are certainly a launcher's.
bool TakeLauncher(Cursor c, Carrier* out) {
  return TakeTorchrun(c, out) || TakeOpenMpi(c, out) || TakeParen(c, out);
}

bool TakeBracket(Cursor c, Carrier* out) {
  return TakeTorchrun(c, out) || TakeLightning(c, out) || TakeOpenMpi(c, out) ||
         TakePod(c, out);
}

// "| [rank3]: ", the bar of a table or quotation before a launcher's prefix.
bool TakeBar(Cursor c, Carrier* out) {
  if (!c.Take("| ")) return false;
  Carrier behind;
  if (!TakeTorchrun(Cursor(c.rest()), &behind)) return false;
  out->length = c.at();
  return true;
}

// "pretrain/0 [default2]:": TorchX and NeMo-Run, role and replica.
bool TakeTask(Cursor c, Carrier* out) {
  if (!TakeReplica(c, out)) return false;
  Cursor behind = c;
  behind.set(c.at() + out->length);
  Carrier inner;
  if (TakeTorchrun(behind, &inner)) return true;
  out->length = 0;
  return false;
}

// "(pid=1234) ", "(RayWorker pid=1234, ip=10.0.0.9) ", "(worker1, rank=1,
// pid=1234) " (a rank of nodes, not of processes), "(Worker_TP3 pid=1234) ",
// "(VllmWorker rank=1 pid=1234) ".
bool TakeParen(Cursor c, Carrier* out) {
  constexpr size_t kMaxLength = 200;
  const std::string_view head = c.rest().substr(0, kMaxLength);
  const size_t close = head.find(") ");
  const size_t pid = head.find("pid=");
  if (close == head.npos || pid == head.npos || pid > close) return false;
  if (head[pid - 1] != '(' && head[pid - 1] != ' ') return false;
  const std::string_view list = head.substr(1, close - 1);
  ReadPairs(list, out);
  if (!out->pid) return false;
  const size_t name = list.find(' ');
  if (list.substr(0, name).starts_with("Worker_")) {
    out->rank = RankOfParts(list.substr(7, name - 7), '_');
  } else if (list.find(',') == list.npos) {
    Cursor rank(list.substr(std::min(list.size(), name + 1)));
    if (rank.Take("rank=")) out->rank = rank.Number(6);
  }
  out->length = close + 2;
  return true;
}

}  // namespace inquest::ingest
