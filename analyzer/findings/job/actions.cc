// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/job/actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyzer/facts/store/store.h"
#include "analyzer/findings/finding.h"
#include "base/text.h"

namespace inquest::findings {
namespace {

constexpr int64_t kOneOccasion = 600'000'000'000;  // ten minutes

// The Xids of one GPU.
struct GpuHistory {
  std::set<int64_t> codes;
  std::set<int64_t> pids;
  std::map<int64_t, int> occasions;  // of each code
  std::map<int64_t, int64_t> last;   // time of each code
  std::set<std::string> places;      // on the chip: "GPC 2, TPC 0, SM 1"
  std::string request;               // the driver's last one, of Xid 154
};

using Gpu = std::pair<std::string, std::string>;  // host, pci
using Histories = std::map<Gpu, GpuHistory>;

// The first parenthesis that begins so, without it.
std::string InParentheses(const std::string& text, std::string_view begin) {
  const size_t open = text.find("(" + std::string(begin));
  const size_t close = open == text.npos ? open : text.find(')', open);
  return close == text.npos ? "" : text.substr(open + 1, close - open - 1);
}

Histories ReadHistories(facts::Store* store) {
  Histories all;
  auto row = store->db().Prepare(
      "SELECT coalesce(host, ''), coalesce(figures ->> '$.pci', ''), figures "
      "->> '$.xid', pid, time, text FROM store_log_event WHERE fact = 'xid' "
      "AND figures ->> '$.pci' IS NOT NULL ORDER BY id");
  if (!row.ok()) return all;
  std::string host, pci, text;
  std::optional<int64_t> pid, time;
  for (int64_t xid = 0; row->Next(&host, &pci, &xid, &pid, &time, &text);) {
    GpuHistory& gpu = all[{host, pci}];
    gpu.codes.insert(xid);
    if (pid && *pid > 0) gpu.pids.insert(*pid);
    if (std::string place = InParentheses(text, "GPC "); !place.empty()) {
      gpu.places.insert(std::move(place));
    }
    const auto last = gpu.last.find(xid);
    const bool again =
        last != gpu.last.end() && time && *time - last->second > kOneOccasion;
    if (last == gpu.last.end() || again) ++gpu.occasions[xid];
    gpu.last[xid] = time.value_or(0);
    const size_t to = text.find(" to 0x");
    const size_t open = to == text.npos ? to : text.find('(', to);
    const size_t close = open == text.npos ? open : text.find(')', open);
    if (xid == 154 && close != text.npos) {
      gpu.request = text.substr(open + 1, close - open - 1);
    }
  }
  return all;
}

bool IsOfProgram(int64_t xid) {
  // Not 32: the link to the card may have spoiled the push buffer.
  return xid == 8 || xid == 13 || xid == 31 || xid == 43 || xid == 45 ||
         xid == 68 || xid == 69;
}

std::string CodesText(const std::set<int64_t>& codes) {
  std::string text = codes.size() > 1 ? "Xids" : "Xid";
  for (const int64_t one : codes) {
    text += fmt::format("{} {}", text.size() > 4 ? "," : "", one);
  }
  return text;
}

// The code that asks for most.
std::optional<Action> Worst(const GpuHistory& gpu) {
  std::optional<Action> worst;
  for (const int64_t xid : gpu.codes) {
    const auto action = ActionOfXid(xid);
    if (action && (!worst || *action > *worst)) worst = action;
  }
  return worst;
}

// The same fault on the same GPU on several occasions.
int64_t Recurring(const GpuHistory& gpu) {
  for (const auto& [xid, times] : gpu.occasions) {
    const auto action = ActionOfXid(xid);
    if (times > 1 && !IsOfProgram(xid) && action &&
        *action >= Action::kResetGpu) {
      return xid;
    }
  }
  return 0;
}

class Decider {
 public:
  Decider(facts::Store* store, const Diagnosis& diagnosis)
      : diagnosis_(diagnosis), histories_(ReadHistories(store)) {
    for (const auto& [gpu, history] : histories_) {
      if (!std::ranges::all_of(history.codes, IsOfProgram)) continue;
      ++with_program_faults_;
      for (const int64_t xid : history.codes) ++gpus_with_[xid];
    }
    ReadEngine(store);
  }

  std::vector<UnitAction> Decide() {
    for (const auto& [gpu, history] : histories_) AddGpu(gpu, history);
    AddVerdict();
    for (UnitAction& one : actions_) AddCommands(&one);
    std::ranges::stable_sort(actions_, std::greater(), &UnitAction::action);
    return std::move(actions_);
  }

 private:
  void AddGpu(const Gpu& gpu, const GpuHistory& history) {
    UnitAction one;
    one.host = gpu.first;
    one.pci = gpu.second;
    one.rank = RankOf(gpu);
    auto worst = Worst(history);
    // A GPU of a fabric may have no fault of its own, and the driver asks.
    if (!worst) worst = ActionOfRequest(history.request);
    if (!worst || *worst == Action::kKeep) return;
    one.action = *worst;
    one.why = CodesText(history.codes);
    if (std::ranges::all_of(history.codes, IsOfProgram)) {
      // Two programs on one GPU: either may be at fault.
      if (with_program_faults_ < 2 && history.pids.size() == 2) return;
      JudgeProgram(history, &one);
    } else {
      JudgeHardware(history, &one);
    }
    actions_.push_back(std::move(one));
  }

  // A fault that a program or a GPU can cause: decides which. Broken silicon is
  // at one place of the chip; a wrong address comes wherever its kernel runs.
  void JudgeProgram(const GpuHistory& history, UnitAction* one) const {
    constexpr size_t kManyPlaces = 8;
    constexpr size_t kFewPlaces = 2;
    const auto elsewhere = [&](int64_t xid) { return gpus_with_.at(xid) > 1; };
    const size_t places = history.places.size();
    one->action = Action::kFixProgram;
    if (std::ranges::any_of(history.codes, elsewhere)) {
      one->why += "; it came on other GPUs too, which speaks for the program";
    } else if (places >= kManyPlaces) {
      one->why += fmt::format(
          "; it came at {} places of the chip, which speaks for the program",
          places);
    } else if (history.pids.size() <= 2) {
      one->why +=
          "; look at the program first: no fault of the GPU is told beside it";
    } else if (histories_.size() > 1 || (places > 0 && places <= kFewPlaces)) {
      one->action = Action::kDrain;
      one->why += fmt::format(
          "; {} processes met it on this GPU{}, which speaks for the GPU",
          history.pids.size(),
          histories_.size() > 1 ? " and on no other"
                                : ", always at the same place of the chip");
    } else {
      one->why += fmt::format(
          "; {} processes met it, and no other GPU is in the log: whether "
          "program or GPU is at fault, a run on another GPU tells",
          history.pids.size());
    }
  }

  static void JudgeHardware(const GpuHistory& history, UnitAction* one) {
    const auto asked = ActionOfRequest(history.request);
    if (asked && *asked != Action::kKeep) {
      one->action = *asked;
      one->why += "; the driver asks: " + history.request;
    }
    if (history.codes.contains(79) && one->action == Action::kReboot) {
      one->cold = true;
      one->why += "; cut its power, a warm reboot may not bring it back";
    }
    if (history.codes.contains(64)) {
      one->action = Action::kContact;
      one->why += "; the bad memory could not be put out of use";
    } else if (const int64_t again = Recurring(history); again != 0) {
      one->action = Action::kContact;
      one->why += fmt::format("; Xid {} came on {} occasions", again,
                              history.occasions.at(again));
    }
  }

  std::optional<int64_t> RankOf(const Gpu& gpu) const {
    for (const Finding& finding : diagnosis_.findings) {
      const Figure& pci = finding.figures["pci"];
      if (finding.unit.rank && finding.unit.host == gpu.first && pci.IsText() &&
          pci.Text() == gpu.second) {
        return finding.unit.rank;
      }
    }
    return {};
  }

  // The verdict's action, for a node without Xids.
  void AddVerdict() {
    if (!diagnosis_.verdict.finding) return;
    const Finding& root = diagnosis_.findings[*diagnosis_.verdict.finding];
    const std::string& host = root.unit.host;
    UnitAction one;
    one.host = host;
    one.rank = root.unit.rank;
    if (!OfCause(root.cause, &one)) return;
    // Machines are taken out where they are known, and so is their fault.
    if (one.action >= Action::kResetGpu &&
        (host.empty() ||
         diagnosis_.verdict.confidence == rules::Confidence::kPossible)) {
      return;
    }
    // What the kernel's log says of a GPU is more exact.
    const bool known = std::ranges::any_of(actions_, [&](const auto& other) {
      const bool of_job = one.action < Action::kResetGpu;
      return (of_job && other.action == one.action) ||
             (other.host == host && other.action > Action::kFixProgram);
    });
    if (known) return;
    if (one.action < Action::kResetGpu) one.host.clear();  // of the job
    actions_.push_back(std::move(one));
  }

  static bool OfCause(const std::string& cause, UnitAction* one) {
    const auto is = [&](std::string_view folder) {
      return cause.starts_with(folder);
    };
    const auto set = [&](Action action, const char* why) {
      one->action = action;
      one->why = why;
      return true;
    };
    if (cause == "hardware/fabric") {
      return set(Action::kDrain,
                 "a network port or card failed: check cable, transceiver, "
                 "switch port and firmware");
    }
    if (is("hardware/")) {
      return set(Action::kDrain,
                 "a hardware fault without an Xid: examine it "
                 "before the next job");
    }
    if (cause == "host/node-lost") {
      return set(Action::kDrain, "it went away: see why before it gets jobs");
    }
    if (cause == "version/driver-mismatch") {
      return set(Action::kReboot,
                 "the loaded kernel module is of another "
                 "driver than the libraries");
    }
    if (cause == "device/unavailable") {
      return set(Action::kDrain, "no usable GPU on it");
    }
    if (is("storage/")) {
      return set(Action::kKeep, "the storage is the matter, not the node");
    }
    if (cause == "process/preempted" || cause == "process/killed") {
      return set(Action::kRestartApp, "it was ended from outside");
    }
    if (cause == "distributed/desync") {
      return set(Action::kFixProgram,
                 "the ranks issued different collectives: a restart may meet "
                 "the same");
    }
    if (cause == "host/limits") {
      return set(Action::kKeep, "a limit of the process, user or host was met");
    }
    if (is("distributed/") || cause == "process/hang") {
      return set(Action::kRestartApp, "no unit is known to be at fault");
    }
    if (is("process/") || is("kernel/") || is("data/") || is("memory/") ||
        is("cudnn/") || is("cublas/") || is("access/") || is("build/") ||
        is("version/") || is("host/")) {
      return set(Action::kFixProgram,
                 "nothing speaks against the nodes: the program, its "
                 "input or its settings ended it");
    }
    return false;
  }

  // Which of the two the job ran under; both if nothing tells, for a job of
  // several ranks. A single machine may have neither.
  void ReadEngine(facts::Store* store) {
    const auto any = [&](const char* pattern) {
      auto count = store->db().QueryInt(
          fmt::format("SELECT count(*) FROM store_log_event WHERE signature "
                      "LIKE '{}'",
                      pattern));
      return count.ok() && *count > 0;
    };
    slurm_ = any("endings.slurm%");
    kubernetes_ = any("endings.kubernetes%");
    if (!slurm_ && !kubernetes_) {
      slurm_ = kubernetes_ = diagnosis_.job.has_value();
    }
  }

  void AddCommands(UnitAction* one) const {
    // A name from a log goes into a command only if it cannot be anything else.
    const bool plain = !one->host.empty() &&
                       std::ranges::all_of(one->host,
                                           [](char c) {
                                             return IsAlpha(c) || IsDigit(c) ||
                                                    c == '-' || c == '.';
                                           }) &&
                       one->host.front() != '-' &&
                       !one->host.starts_with("container-");  // YARN's
    if (one->action < Action::kResetGpu || !plain) return;
    const std::string reason =
        fmt::format("inquest: {}", one->why.substr(0, one->why.find(';')));
    const auto add = [&](bool wanted, std::string command) {
      if (wanted) one->commands.push_back(std::move(command));
    };
    const std::string& host = one->host;
    if (one->action == Action::kReboot && !one->cold) {
      add(slurm_, fmt::format("scontrol reboot ASAP nextstate=RESUME "
                              "reason=\"{}\" {}",
                              reason, host));
    } else {
      add(slurm_, fmt::format("scontrol update NodeName={} State=DRAIN "
                              "Reason=\"{}\"",
                              host, reason));
    }
    add(kubernetes_, fmt::format("kubectl cordon {0} && kubectl drain {0} "
                                 "--ignore-daemonsets --delete-emptydir-data",
                                 host));
    if (one->action != Action::kResetGpu) return;
    add(!one->pci.empty(), fmt::format("nvidia-smi --gpu-reset -i {}   # on "
                                       "{}, when it is empty",
                                       one->pci, host));
    add(slurm_, fmt::format("scontrol update NodeName={} State=RESUME", host));
    add(kubernetes_, fmt::format("kubectl uncordon {}", host));
  }

  const Diagnosis& diagnosis_;
  Histories histories_;
  size_t with_program_faults_ = 0;       // GPUs
  std::map<int64_t, size_t> gpus_with_;  // of these, by Xid
  bool slurm_ = false;
  bool kubernetes_ = false;
  std::vector<UnitAction> actions_;
};

}  // namespace

std::vector<UnitAction> DecideActions(facts::Store* store,
                                      const Diagnosis& diagnosis) {
  return Decider(store, diagnosis).Decide();
}

}  // namespace inquest::findings
