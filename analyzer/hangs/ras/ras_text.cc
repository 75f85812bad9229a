// SPDX-License-Identifier: Apache-2.0
#include "analyzer/hangs/ras/ras_text.h"

#include <re2/re2.h>

#include <optional>
#include <set>
#include <utility>

#include "analyzer/hangs/common/who.h"
#include "base/text.h"

namespace inquest::hangs {
namespace {

#define RAS_PROCESS R"(rocess (\d+) on node (\S+) managing GPUs? (.+))"

re2::StringPiece PieceOfRas(std::string_view text) {
  return {text.data(), text.size()};
}

// Empty if the text has none, or one that is larger than an int64_t.
std::optional<int64_t> FirstNumber(std::string_view text) {
  const std::set<int64_t> numbers = NumbersIn(text);
  if (numbers.empty()) return {};
  return *numbers.begin();
}

// "-- GPU 5 managed by process 4711 on node node7"; the tail may be missing.
RasRank RankLine(int64_t rank, std::string_view tail) {
  static const auto* managed =
      new RE2(R"(GPU (.+?) managed by process (\d+) on node (\S+))");
  RasRank one;
  one.rank = rank;
  int64_t pid = 0;
  if (RE2::PartialMatch(PieceOfRas(tail), *managed, &one.gpus, &pid,
                        &one.host)) {
    one.pid = pid;
  }
  return one;
}

}  // namespace

RasItem RasText::About(const char* kind) const {
  RasItem item;
  item.kind = kind;
  item.at = here_;
  item.communicator = communicator_;
  return item;
}

void RasText::Keep(RasItem item) {
  if (garbage_ || reports_->items.size() >= kMaxRasItems) return;
  reports_->items.push_back(std::move(item));
}

void RasText::Add(const ingest::LogLine& line) {
  here_ = {source_, line.number, line.offset, std::string(line.text)};
  const std::string_view text = Trim(line.text);
  if (text.empty()) {
    // The blocks of a communicator end with an empty line.
    if (section_ == Section::kCounts || section_ == Section::kStatus) {
      EndBlock();
    }
    return;
  }
  if (ReadHeads(text) || ReadTable(text) || ReadGroups(text) ||
      ReadRanks(text)) {
    return;
  }
  ++other_lines_;
}

void RasText::BeginReport() {
  if (!open_ || table_) EndReport();
  if (!open_) first_item_ = reports_->items.size();
  open_ = true;
}

void RasText::EndBlock() {
  AddCounts(operation_, std::exchange(groups_, {}), About(""), reports_);
  if (!item_.kind.empty()) {
    item_.communicator = communicator_;
    if (!item_.who.empty() || item_.ranks > 0) Keep(std::move(item_));
  }
  item_ = RasItem();
  section_ = Section::kNone;
}

void RasText::EndReport() {
  EndBlock();
  open_ = table_ = sections_ = false;
  fine_ = true;
  communicator_.clear();
  garbage_ = false;
}

void RasText::EndSource() {
  EndBlock();
  const bool nothing_else =
      other_lines_ == 0 && reports_->items.size() == first_item_;
  if (open_ && table_ && fine_ && sections_ && nothing_else) {
    RasItem item;
    item.kind = "in-order";
    item.at = table_at_;
    reports_->items.push_back(std::move(item));
  }
  EndReport();
  other_lines_ = 0;
  first_item_ = reports_->items.size();
}

bool RasText::ReadHeads(std::string_view text) {
  static const auto* block = new RE2(
      R"(^#\d+-\d+ \((?:0x)?([0-9a-f]+)\) ((?:INCOMPLETE|ERROR|MISMATCH)[A-Z,]*))");
  static const auto* peer =
      new RE2(R"(^(?:\[[^\]]+\] )?(PEER_\w+): (?:P)" RAS_PROCESS ")?");
  static const auto* calm = new RE2(
      R"(^(?:(?:NCCL|RCCL) version |CUDA runtime version |HIP runtime version |Job summary$|=+$|Nodes +Processes|\(total\)|Group +Comms|# +in group|Gathering data|RAS Monitor Mode|The outlier node|Node \S+ running process|\d+ +\d+(?: +\d+){1,3}$))");
  std::string name;
  RasRank one;
  std::string pid;
  if (text.starts_with("Communicators... (")) {
    BeginReport();
    return true;
  }
  if (RE2::PartialMatch(PieceOfRas(text), *block, &name)) {
    EndBlock();
    communicator_ = name;
    garbage_ = false;
    return true;
  }
  if (RE2::PartialMatch(PieceOfRas(text), *peer, &name, &pid, &one.host,
                        &one.gpus)) {
    if (name == "PEER_DEAD") {
      RasItem item = About("dead");
      if (!pid.empty()) {
        one.pid = FirstNumber(pid);
        item.who.push_back(one);
      }
      item.ranks = 1;
      Keep(std::move(item));
    }
    return true;
  }
  if (text == "Errors" || text == "Warnings") {
    EndBlock();
    sections_ = sections_ || text == "Warnings";
    return true;
  }
  if (text == "INCOMPLETE" || text == "DEAD" || text == "TIMEOUT") {
    EndBlock();
    fine_ = false;
    return true;
  }
  if (text == "No communicator data collected!") {
    fine_ = false;
    return true;
  }
  return RE2::PartialMatch(PieceOfRas(text), *calm);
}

bool RasText::ReadTable(std::string_view text) {
  static const auto* row =
      new RE2(R"(^\d+ +\d+ +\d+ +[\d-]+ +(\d+) +\d+ +([A-Z]+) +([A-Z,]+)$)");
  int64_t size = 0;
  std::string status, errors;
  if (!RE2::PartialMatch(PieceOfRas(text), *row, &size, &status, &errors)) {
    return false;
  }
  if (!open_) BeginReport();
  table_ = true;
  fine_ = fine_ && status == "RUNNING" && errors == "OK" && size > 0;
  table_at_ = here_;
  return true;
}

void RasText::AddWho(const RasRank& rank) {
  if (rank.rank && *rank.rank >= kMaxRanks) {
    ++reports_->malformed;
    garbage_ = true;
    return;
  }
  if (section_ == Section::kCounts) {
    if (!groups_.empty()) groups_.back().named.push_back(rank);
  } else if (!item_.kind.empty()) {
    item_.who.push_back(rank);
  }
}

bool RasText::ReadRanks(std::string_view text) {
  static const auto* process = new RE2("^P" RAS_PROCESS);
  static const auto* rank = new RE2(R"(^Rank (\d+) --(.*))");
  static const auto* list = new RE2(R"(^The (missing|unknown) ranks?: (.*))");
  RasRank one;
  int64_t number = 0;
  std::string tail, which;
  if (RE2::FullMatch(PieceOfRas(text), *process, &number, &one.host,
                     &one.gpus)) {
    one.pid = number;
    AddWho(one);
    return true;
  }
  if (RE2::FullMatch(PieceOfRas(text), *rank, &number, &tail)) {
    AddWho(RankLine(number, tail));
    return true;
  }
  if (!RE2::FullMatch(PieceOfRas(text), *list, &which, &tail)) return false;
  for (const int64_t one_rank : NumbersIn(tail)) {
    if (which == "missing") AddWho({one_rank, {}, "", ""});
  }
  return true;
}

bool RasText::ReadGroups(std::string_view text) {
  static const auto* limits =
      new RE2(R"(^Encountered (\d+) communication timeouts? while gathering)");
  static const auto* calm = new RE2(
      R"(^(?:Communicator ranks have different status|(?:Initialization|Asynchronous) errors? on \d+|\[?could not find information on \d+))");
  if (ReadAbsent(text) || ReadCounts(text) || ReadStates(text)) return true;
  int64_t count = 0;
  if (RE2::PartialMatch(PieceOfRas(text), *limits, &count)) {
    for (size_t i = first_item_; i < reports_->items.size(); ++i) {
      reports_->items[i].time_limits = count;
    }
    return true;
  }
  return RE2::PartialMatch(PieceOfRas(text), *calm);
}

bool RasText::ReadAbsent(std::string_view text) {
  static const auto* missing = new RE2(
      R"(^Missing communicator data from (\d+) (job process|rank)(?:e?s)?$)");
  static const auto* dead =
      new RE2(R"(^(\d+) job process(?:es)? (?:is|are) considered dead)");
  int64_t count = 0;
  std::string what;
  if (RE2::FullMatch(PieceOfRas(text), *missing, &count, &what)) {
    EndBlock();
    fine_ = false;
    section_ = Section::kMissing;
    item_ = About(what == "rank" ? "missing" : "missing-process");
    item_.ranks = count;
    return true;
  }
  if (!RE2::PartialMatch(PieceOfRas(text), *dead, &count)) return false;
  EndBlock();
  section_ = Section::kDead;
  item_ = About("dead");
  item_.ranks = count;
  return true;
}

bool RasText::ReadCounts(std::string_view text) {
  static const auto* counts =
      new RE2(R"(^Communicator ranks have different (\w+) operation counts)");
  static const auto* many = new RE2(
      R"(^(\d+) ranks? have (?:launched up to operation (\d+)|not launched any operations)$)");
  static const auto* single = new RE2(
      R"(^Rank (\d+) has (?:launched up to operation (\d+)|not launched any operations)(?: --(.*))?$)");
  const auto piece = PieceOfRas(text);
  if (std::string operation; RE2::PartialMatch(piece, *counts, &operation)) {
    EndBlock();  // of another operation
    operation_ = operation;
    section_ = Section::kCounts;
    return true;
  }
  int64_t number = 0;
  std::string launched, tail;
  const bool of_many = RE2::FullMatch(piece, *many, &number, &launched);
  if (!of_many && !RE2::FullMatch(piece, *single, &number, &launched, &tail)) {
    return false;
  }
  section_ = Section::kCounts;
  CountGroup group{of_many ? number : 1, FirstNumber(launched).value_or(0)};
  if (!of_many) group.named.push_back(RankLine(number, tail));
  group.at = here_;
  groups_.push_back(std::move(group));
  return true;
}

bool RasText::ReadStates(std::string_view text) {
  static const auto* states = new RE2(
      R"(^(?:(\d+) ranks have|Rank (\d+) has) status ([A-Z]+)(?: --(.*))?$)");
  static const auto* reported = new RE2(
      R"(^(?:(\d+) ranks|Rank (\d+)) reported (.+?)(?: -- (GPU.*|\[process.*))?$)");
  const auto piece = PieceOfRas(text);
  std::string ranks, rank, what, tail;
  const bool status =
      RE2::FullMatch(piece, *states, &ranks, &rank, &what, &tail);
  if (!status &&
      !RE2::FullMatch(piece, *reported, &ranks, &rank, &what, &tail)) {
    return false;
  }
  const auto number = FirstNumber(ranks.empty() ? rank : ranks);
  if (!number) return false;  // too large for any job
  if (!item_.kind.empty()) EndBlock();
  section_ = status ? Section::kStatus : Section::kErrors;
  item_ = About(status ? "status" : "error");
  item_.said = what;
  item_.ranks = ranks.empty() ? 1 : *number;
  if (ranks.empty()) AddWho(RankLine(*number, tail));
  return true;
}

}  // namespace inquest::hangs
