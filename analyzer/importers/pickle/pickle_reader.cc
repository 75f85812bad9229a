// SPDX-License-Identifier: Apache-2.0
// The stack machine; containers are in pickle_containers.cc, numbers and texts
// in pickle_scalars.cc.
#include "analyzer/importers/pickle/pickle_reader.h"

#include <fmt/format.h>

#include "analyzer/importers/pickle/pickle_opcodes.h"

namespace inquest::importers {
namespace {

using Kind = PickleValue::Kind;

constexpr uint8_t kHighestProtocol = 5;

}  // namespace

PickleReader::PickleReader(ingest::ByteStream* bytes,
                           const PickleLimits& limits)
    : input_(bytes),
      limits_(limits),
      texts_(limits.text),
      containers_(limits.values),
      memo_(limits.memo) {}

bool PickleReader::Ends() {
  fault_ = Unreadable(fmt::format("it is truncated at byte {}", input_.end()));
  return false;
}

bool PickleReader::Bad(const std::string& what) {
  fault_ = Unreadable(fmt::format("{} at byte {}", what, op_offset_));
  return false;
}

bool PickleReader::TooMuch(const std::string& what) {
  fault_ = {StatusCode::kIncomplete,
            fmt::format("reading stopped at byte {}: {}", op_offset_, what)};
  return false;
}

bool PickleReader::Refuse(uint8_t op) {
  for (const RefusedOp& refused : kRefusedOps) {
    if (refused.code != op) continue;
    fault_ =
        Unreadable(fmt::format("opcode {} at byte {} would create more than "
                               "plain data and is refused",
                               refused.name, op_offset_))
            .WithHint(
                "snapshots of PyTorch have only dicts, lists, texts and "
                "numbers; this file may be malicious");
    return false;
  }
  return Bad(fmt::format("0x{:02x} is not an opcode of a pickle", op));
}

Expected<PickleValue> PickleReader::Read(PickleSink* sink) {
  sink_ = sink;
  for (;;) {
    op_offset_ = input_.offset();
    const char* at = input_.Take(1);
    if (at == nullptr) {
      Ends();
      break;
    }
    const auto op = static_cast<uint8_t>(*at);
    if (op == static_cast<uint8_t>(PickleOp::kStop)) {
      const bool whole = stack_.size() == 1 && marks_.empty();
      if (whole && !containers_.full()) return stack_.front();
      if (whole) {
        TooMuch(kTooLarge);
        break;
      }
      Bad("STOP inside an open container");
      break;
    }
    if (!Step(op)) break;
  }
  return fault_;
}

// Most frequent first.
bool PickleReader::Step(uint8_t op) {
  switch (static_cast<PickleOp>(op)) {
    case PickleOp::kBinGet:
    case PickleOp::kLongBinGet:
    case PickleOp::kMemoize:
    case PickleOp::kBinPut:
    case PickleOp::kLongBinPut:
      return Memo(op);
    case PickleOp::kMark:
      return Mark();
    case PickleOp::kAppends:
      return Appends();
    case PickleOp::kSetItems:
      return SetItems();
    case PickleOp::kAppend:
      return Append();
    case PickleOp::kSetItem:
      return SetItem();
    case PickleOp::kEmptyDict:
      return PushNew(Kind::kDict);
    case PickleOp::kEmptyList:
      return PushNew(Kind::kList);
    case PickleOp::kEmptyTuple:
      return PushNew(Kind::kTuple);
    default:
      return Scalar(op);
  }
}

bool PickleReader::Memo(uint8_t op) {
  const auto kind = static_cast<PickleOp>(op);
  if (kind == PickleOp::kMemoize) return PutMemo(memo_.size());
  const bool wide =
      kind == PickleOp::kLongBinGet || kind == PickleOp::kLongBinPut;
  const size_t size = wide ? 4 : 1;
  const char* at = input_.Take(size);
  if (at == nullptr) return Ends();
  const uint64_t entry = LittleEndian(at, size);
  const bool get = kind == PickleOp::kBinGet || kind == PickleOp::kLongBinGet;
  return get ? GetMemo(entry) : PutMemo(entry);
}

bool PickleReader::PutMemo(uint64_t entry) {
  if (stack_.empty()) return Bad("a memo entry without a value");
  if (!memo_.Put(entry, stack_.back())) {
    return TooMuch(
        "its memo has more entries, or larger gaps, than a "
        "snapshot's");
  }
  containers_.set_memo(stack_.back(), static_cast<uint32_t>(entry));
  return true;
}

bool PickleReader::GetMemo(uint64_t entry) {
  PickleValue value;
  if (!memo_.Get(entry, &value)) {
    return Bad(fmt::format("memo entry {} does not exist", entry));
  }
  return Push(value);
}

bool PickleReader::Mark() {
  if (marks_.size() >= limits_.values) return TooMuch("too deeply nested");
  marks_.push_back(stack_.size());
  return true;
}

bool PickleReader::TakeMark(size_t* first) {
  if (marks_.empty() || marks_.back() > stack_.size()) {
    return Bad("a mark is missing");
  }
  *first = marks_.back();
  marks_.pop_back();
  return true;
}

bool PickleReader::Stack(uint8_t op) {
  if (op == static_cast<uint8_t>(PickleOp::kPopMark)) {
    size_t first = 0;
    if (!TakeMark(&first)) return false;
    stack_.resize(first);
    return true;
  }
  if (op == static_cast<uint8_t>(PickleOp::kPop) && !marks_.empty() &&
      marks_.back() == stack_.size()) {
    marks_.pop_back();
    return true;
  }
  if (stack_.empty()) return Bad("nothing on the stack");
  if (op == static_cast<uint8_t>(PickleOp::kDup)) return Push(stack_.back());
  stack_.pop_back();
  return true;
}

bool PickleReader::Build(uint8_t op) {
  switch (static_cast<PickleOp>(op)) {
    case PickleOp::kTuple1:
    case PickleOp::kTuple2:
    case PickleOp::kTuple3:
      return TupleOf(1 + op - static_cast<uint8_t>(PickleOp::kTuple1));
    case PickleOp::kTuple:
      return FromMark(Kind::kTuple);
    case PickleOp::kList:
      return FromMark(Kind::kList);
    case PickleOp::kDict:
      return FromMark(Kind::kDict);
    case PickleOp::kPop:
    case PickleOp::kPopMark:
    case PickleOp::kDup:
      return Stack(op);
    case PickleOp::kProto: {
      const char* at = input_.Take(1);
      if (at == nullptr) return Ends();
      const auto protocol = static_cast<uint8_t>(*at);
      return protocol <= kHighestProtocol ||
             Bad(fmt::format("protocol {} is newer than 5", protocol));
    }
    case PickleOp::kFrame:
      return input_.Take(8) != nullptr || Ends();
    default:
      return Refuse(op);
  }
}

}  // namespace inquest::importers
