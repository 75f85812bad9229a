// SPDX-License-Identifier: Apache-2.0
// Reads loggers' headers: ranks, processes, hosts, devices.

#include <algorithm>

#include "analyzer/logs/carriers/log_carriers.h"

namespace inquest::ingest {
namespace {

constexpr size_t kReach = 200;       // how far into the line a header may go
constexpr size_t kReachOfPid = 100;  // messages name other processes, too
constexpr size_t kReachOfNccl = 300;

// "Rank 3", "RANK 3", "rank: 3", "rank=3", "rank3", as a whole word.
std::optional<int64_t> TakeRankWord(Cursor c) {
  if (!c.Take("Rank") && !c.Take("rank") && !c.Take("RANK")) return {};
  if (c.Take(':')) {
    c.Take(' ');
  } else {
    c.TakeAny(" =");
  }
  const auto rank = c.Number(6);
  const bool ends = c.peek() == ']' || c.peek() == ' ' || c.peek() == ':';
  return ends ? rank : std::nullopt;
}

// "[Rank 3]", "[PG ID 0 PG GUID 0(default_pg) Rank 3]", "[NeMo W … rank3:]".
void ReadRank(std::string_view line, Carrier* out) {
  const std::string_view head = line.substr(0, kReach);
  for (size_t at = head.find("ank"); at != head.npos && !out->rank;
       at = head.find("ank", at + 1)) {
    if (at < 2 || (head[at - 2] != '[' && head[at - 2] != ' ')) continue;
    const size_t open = head.rfind('[', at);
    if (open == head.npos || head.find(']', open) < at) continue;
    out->rank = TakeRankWord(Cursor(head.substr(at - 1)));
  }
  for (size_t at = head.find("[RANK"); at != head.npos && !out->rank;
       at = head.find("[RANK", at + 1)) {
    out->rank = TakeRankWord(Cursor(head.substr(at + 1)));
  }
}

// "[2031-02-03 04:05:06 DP0 TP3] ", "[TP3] ": SGLang.
void ReadParts(std::string_view line, Carrier* out) {
  const size_t close = line.substr(0, 80).find(']');
  if (close == line.npos || line.substr(close + 1, 1) != " ") return;
  std::string_view inside = line.substr(1, close - 1);
  while (!inside.empty() && IsDigit(inside[0])) {  // date and time
    const size_t end = std::min(inside.find(' '), inside.size());
    inside.remove_prefix(std::min(end + 1, inside.size()));
  }
  out->rank = RankOfParts(inside, ' ');
}

// "(PID:1234, Device:3, RankID:3)": torch_npu.
void ReadNpu(std::string_view line, Carrier* out) {
  const size_t at = line.substr(0, kReach).find("(PID:");
  if (at == line.npos) return;
  Cursor c(line.substr(at + 5));
  const auto pid = c.Number(9);
  if (!pid || !c.Take(", Device:")) return;
  out->pid = pid;
  out->device = c.Number(4);
  if (c.Take(", RankID:")) out->rank = c.Number(6);
}

// "PID 1234: text", as programs begin their own lines.
std::optional<int64_t> LeadingPid(Cursor c) {
  if (!c.Take("PID") && !c.Take("pid")) return {};
  if (!c.TakeAny(" =")) return {};
  const auto pid = c.Number(9);
  return c.Take(": ") ? pid : std::nullopt;
}

// "[train/578 (pid 1234)]", "[PID: 1234]", "[pid 1234]", "[pid=1234]",
// "[pid:1234 tid:0x1f]" in a header; not "worker (pid 1234) was killed", which
// is about another process.
void ReadPid(std::string_view line, Carrier* out) {
  out->pid = LeadingPid(Cursor(line));
  if (out->pid) return;
  const std::string_view head = line.substr(0, kReachOfPid);
  for (size_t at = head.find_first_of("(["); at != head.npos;
       at = head.find_first_of("([", at + 1)) {
    Cursor c(head.substr(at + 1));
    if (!c.Take("pid") && !c.Take("PID") && !c.Take("Pid")) continue;
    const bool parted = c.TakeAny(": =");
    c.Take(' ');
    const auto pid = parted ? c.Number(9) : std::nullopt;
    const bool thread = head[at] == '[' && c.Take(" tid");
    c.Take(')');
    if (!pid || (!thread && c.peek() != ']')) continue;
    out->pid = pid;
    return;
  }
}

// "[ERROR] HCCL(4711,python3):2031-02-03-04:05:06.070.463 …": CANN.
void ReadCann(std::string_view line, Carrier* out) {
  Cursor c(line);
  if (!c.Take('[') || c.While(IsUpper).empty() || !c.Take("] ")) return;
  if (c.While(IsUpper).empty() || !c.Take('(')) return;
  const auto pid = c.Number(9);
  if (pid && c.Take(',')) out->pid = pid;
}

// "[2031-02-03 04:05:06,907 W 4711 4725] node_manager.cc:157: ": Ray's daemons.
void ReadRay(std::string_view line, Carrier* out) {
  constexpr size_t kLevel = 25;  // after the time and a blank
  Cursor c(line);
  if (!c.Take('[') || !IsDigit(c.peek()) || line.size() <= kLevel) return;
  c.set(kLevel - 1);
  if (!c.Take(' ') || c.While(IsUpper).size() != 1 || !c.Take(' ')) return;
  const auto pid = c.Number(9);
  if (pid && c.Take(' ') && c.Number(9) && c.Take("] ")) out->pid = pid;
}

// NCCL's threads that serve others never choose a device, so theirs reads 0.
bool IsServiceFile(std::string_view text) {
  return text.starts_with("bootstrap.cc") ||
         text.starts_with("transport/net") || text.starts_with("misc/ib");
}

// "node1:1234:1250 [0] init.cc:9 NCCL WARN …", from the words before " [".
bool TakeNccl(Cursor c, Carrier* out) {
  c.Take(':');  // what a program puts between its time and the line
  const std::string_view host = c.While(IsNameChar);
  if (host.empty() || !c.Take(':')) return false;
  const auto pid = c.Number(9);
  if (!pid || !c.Take(':') || !c.Number(9) || !c.Take(" [")) return false;
  const auto device = c.Number(3);
  if (!device || !c.Take("] ")) return false;
  out->host = host;
  out->pid = pid;
  if (*device != 0 || !IsServiceFile(c.rest())) out->device = device;
  return true;
}

// Also behind the words of whatever collected the line. Before 2.4 NCCL did not
// write its name.
void ReadNccl(std::string_view line, Carrier* out) {
  const std::string_view head = line.substr(0, kReachOfNccl);
  for (size_t at = head.find(" ["); at != head.npos;
       at = head.find(" [", at + 1)) {
    if (at == 0 || !IsDigit(head[at - 1])) continue;
    const size_t before = head.find_last_of(" ]", at - 1);
    const size_t begin = before == head.npos ? 0 : before + 1;
    if (TakeNccl(Cursor(line.substr(begin)), out)) return;
  }
}

// "[node7:04711] *** Process received signal ***": Open MPI, which pads the pid
// to five digits.
void ReadOpenMpi(std::string_view line, Carrier* out) {
  Cursor c(line);
  if (!c.Take('[')) return;
  const std::string_view host = c.While(IsNameChar);
  const bool named = !host.empty() && IsAlpha(host[0]) &&
                     host.find_first_of("0123456789-.") != host.npos;
  if (!named || !c.Take(':')) return;
  const size_t begin = c.at();
  const auto pid = c.Number(9);
  if (!pid || c.at() - begin < 5 || !c.Take("] ")) return;
  out->host = host;
  out->pid = pid;
}

// "CUDA failure 2: out of memory ; GPU=0 ; hostname=node7 ; file=…": ONNX
// Runtime.
void ReadOnnxRuntime(std::string_view line, Carrier* out) {
  constexpr std::string_view kDevice = "; GPU=";
  const size_t at = line.find(kDevice);
  if (at == line.npos) return;
  Cursor c(line.substr(at + kDevice.size()));
  const auto device = c.Number(3);
  if (!device || !c.Take(" ; hostname=")) return;
  const std::string_view host = c.While(IsNameChar);
  if (host.empty()) return;
  out->device = device;
  out->host = host;
}

}  // namespace

std::optional<int64_t> RankOfParts(std::string_view parts, char separator) {
  std::optional<int64_t> rank;
  while (!parts.empty()) {
    const size_t end = std::min(parts.find(separator), parts.size());
    Cursor c(parts.substr(0, end));
    const std::string_view name = c.While(IsUpper);
    const auto number = c.Number(5);
    if (!number || !c.done()) return {};
    if (name == "TP") {
      rank = number;
    } else if (name == "DP" || name == "PP") {
      if (*number != 0) return {};
    } else if (name != "EP" && name != "DCP" && name != "PCP") {
      return {};
    }
    parts.remove_prefix(std::min(end + 1, parts.size()));
  }
  return rank;
}

// "rank:  3 | 2031-02-03 …": ParlAI.
std::optional<int64_t> LeadingRank(Cursor c) {
  if (!c.Take("rank:")) return {};
  c.SkipBlanks();
  const auto rank = c.Number(6);
  return c.Take(" | ") ? rank : std::nullopt;
}

void ReadLogger(std::string_view line, Carrier* out) {
  if (line.starts_with('[')) ReadParts(line, out);
  if (!out->rank) ReadRank(line, out);
  if (!out->rank) out->rank = LeadingRank(Cursor(line));
  if (!out->rank) ReadNpu(line, out);
  ReadNccl(line, out);
  ReadOnnxRuntime(line, out);
  if (!out->pid) ReadOpenMpi(line, out);
  if (!out->pid) ReadCann(line, out);
  if (!out->pid) ReadRay(line, out);
  if (!out->pid) ReadPid(line, out);
}

}  // namespace inquest::ingest
