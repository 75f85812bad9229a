// SPDX-License-Identifier: Apache-2.0
#include "analyzer/hangs/flight/flight_text.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "analyzer/hangs/common/who.h"
#include "base/text.h"

namespace inquest::hangs {
namespace {

re2::StringPiece PieceOfFlight(std::string_view text) {
  return {text.data(), text.size()};
}

// The program's own frame is the first that is not PyTorch's.
bool IsOfTorch(std::string_view file) {
  return file.find("torch/") != file.npos;
}

// What stands behind "name: ".
std::optional<std::string_view> ValueOf(std::string_view text,
                                        std::string_view name) {
  if (!text.starts_with(name) || text.size() <= name.size() ||
      text[name.size()] != ':') {
    return {};
  }
  return Trim(text.substr(name.size() + 1));
}

std::string WithoutBackend(std::string_view name) {
  const size_t colon = name.find(':');
  return std::string(colon == name.npos ? name : name.substr(colon + 1));
}

}  // namespace

FlightItem FlightText::ItemAt(const char* kind,
                              const ingest::LogLine& line) const {
  FlightItem item;
  item.kind = kind;
  item.source = source_;
  item.line = line.number;
  item.offset = line.offset;
  item.text = line.text;
  return item;
}

void FlightText::Keep(FlightItem item) {
  if (items_.size() < kMaxItems) items_.push_back(std::move(item));
}

void FlightText::Close() {
  if (open_) {
    const auto members = static_cast<size_t>(open_->members.value_or(0));
    // The first rank that was read is the reference, and may be the odd one.
    const bool most = members > 0 && open_->who.size() * 2 > members;
    if (open_->kind == "mismatch" && most) {
      std::swap(open_->expected, open_->found);
      std::set<int64_t> rest;
      for (int64_t rank = 0; rank < open_->members; ++rank) {
        if (!open_->who.contains(rank)) rest.insert(rank);
      }
      open_->who = std::move(rest);
    }
    Keep(*std::exchange(open_, {}));
  }
  in_stack_ = false;
}

void FlightText::EndSource() {
  Close();
  EndTable();
  fields_.clear();
  has_started_ = false;
}

void FlightText::Add(const ingest::LogLine& line) {
  const std::string_view text = Trim(line.text);
  if (Table(line) || Database(line)) return;
  if (text.empty()) return;
  if (Heading(text, line) || Field(text)) return;
  if (Entry(text, line)) return;
  if (in_stack_) return Site(text);
}

bool FlightText::Heading(std::string_view text, const ingest::LogLine& line) {
  static const auto* missing = new RE2(
      R"(^Not all ranks joining collective(?:[:,] sequence number:)? (\d+))");
  static const auto* mismatch = new RE2(
      R"(^(?:Input/output mismatch in the collective sequence number: (\d+)|Collective sequence number: (\d+) has errors|Collective (\d+) at entry \d+ errors))");
  std::string number, second, third;
  const auto piece = PieceOfFlight(text);
  const bool absent = RE2::PartialMatch(piece, *missing, &number);
  if (!absent &&
      !RE2::PartialMatch(piece, *mismatch, &number, &second, &third)) {
    return false;
  }
  Close();
  open_ = ItemAt(absent ? "missing" : "mismatch", line);
  const auto all = NumbersIn(number + second + third);
  if (!all.empty()) open_->seqnum = *all.begin();
  return true;
}

bool FlightText::Field(std::string_view text) {
  if (!open_) return false;
  if (const auto group = ValueOf(text, "group info")) {
    open_->group = *group;
  } else if (const auto name = ValueOf(text, "collective")) {
    open_->optype = WithoutBackend(*name);
  } else if (const auto ranks = ValueOf(text, "missing ranks")) {
    open_->who = NumbersIn(*ranks);
    open_->kind = "missing";
  } else if (const auto size = ValueOf(text, "world size")) {
    const auto all = NumbersIn(*size);
    if (!all.empty()) open_->members = *all.begin();
  } else if (const auto error = ValueOf(text, "error msg")) {
    Errors(*error);
  } else if (ValueOf(text, "collective stack trace")) {
    in_stack_ = true;
  } else {
    constexpr std::string_view kOther[] = {
        "internal record id", "total input numel", "total output numel",
        "input sizes",        "output sizes",      "expected ranks",
        "collective state"};
    return std::ranges::any_of(kOther, [&](std::string_view name) {
      return ValueOf(text, name).has_value();
    });
  }
  return true;
}

// "Culprit rank R; Error type: T, Expected … '…' does not match found …: '…'",
// again and again; the texts have commas themselves.
void FlightText::Errors(std::string_view text) {
  static const auto* one = new RE2(
      R"(Culprit rank (\d+); Error type: (\w+)(?:, Expected [^']*'([^']*)' does not match found [^']*'([^']*)')?)");
  re2::StringPiece rest = PieceOfFlight(text);
  int64_t rank = 0;
  std::string type, expected, found;
  while (RE2::FindAndConsume(&rest, *one, &rank, &type, &expected, &found)) {
    if (type == "FULLY_MATCHED" || type == "UNDECIDED") continue;
    open_->who.insert(rank);
    if (open_->differs.empty()) {
      open_->differs = type == "COLLECTIVE_TYPE_MISMATCH"    ? "operation"
                       : type == "SIZE_OR_SYNTAX_MISMATCH"   ? "size"
                       : type == "COLLECTIVE_DTYPE_MISMATCH" ? "type"
                                                             : "state";
      open_->expected = expected;
      open_->found = found;
    }
  }
}

// "func at file:line"
void FlightText::Site(std::string_view text) {
  static const auto* frame =
      new RE2(R"(^(\S+) (?:at|from)? ?(\S+\.py):(\d+)$)");
  std::string function, file, number;
  FlightItem* item = open_ ? &*open_ : has_started_ ? &items_.back() : nullptr;
  if (item == nullptr ||
      !RE2::FullMatch(PieceOfFlight(text), *frame, &function, &file, &number)) {
    in_stack_ = false;
    return;
  }
  if (!item->site.empty() || IsOfTorch(file)) return;
  item->site = function + " (" + file + ":" + number + ")";
}

// "started nccl:all_reduce": the first that did not complete is what the rank
// waits in.
bool FlightText::Entry(std::string_view text, const ingest::LogLine& line) {
  static const auto* entry = new RE2(
      R"(^(scheduled|started|completed) ((?:nccl|gloo|xccl|ncclx|hccl|ucc|mpi):\w+))");
  std::string state, name;
  if (!RE2::PartialMatch(PieceOfFlight(text), *entry, &state, &name)) {
    return false;
  }
  if (open_) return true;
  in_stack_ = false;
  if (state != "started" || has_started_ || items_.size() >= kMaxItems) {
    return true;
  }
  FlightItem item = ItemAt("started", line);
  item.optype = WithoutBackend(name);
  Keep(std::move(item));
  has_started_ = in_stack_ = true;
  return true;
}

}  // namespace inquest::hangs
