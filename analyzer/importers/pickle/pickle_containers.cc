// SPDX-License-Identifier: Apache-2.0
// Creates and fills a pickle's containers and passes complete ones to the sink;
// see pickle_reader.h.
#include <optional>

#include "analyzer/importers/pickle/pickle_reader.h"

namespace inquest::importers {
namespace {

using Kind = PickleValue::Kind;

// Python's pickler fills containers in batches of this size; a smaller batch is
// the last one. (CPython, Lib/pickle.py, _BATCHSIZE.)
constexpr size_t kBatch = 1000;

}  // namespace

bool PickleReader::PushNew(Kind kind) {
  if (containers_.full()) return TooMuch(kTooLarge);
  return Push(containers_.Make(kind));
}

bool PickleReader::TupleOf(size_t count) {
  if (stack_.size() < count) return Bad("a tuple without items");
  PickleValue tuple = containers_.Make(Kind::kTuple);
  Fill(tuple, std::span(stack_).last(count));
  stack_.resize(stack_.size() - count);
  Seal(&tuple);
  return Push(tuple);
}

// DICT, LIST and TUPLE take everything above the mark.
bool PickleReader::FromMark(Kind kind) {
  size_t first = 0;
  if (!TakeMark(&first)) return false;
  const size_t count = stack_.size() - first;
  if (kind == Kind::kTuple) return TupleOf(count);
  if (kind == Kind::kDict && count % 2 != 0) return Bad("a key has no value");
  const PickleValue made = containers_.Make(kind);
  Fill(made, std::span(stack_).subspan(first));
  stack_.resize(first);
  return Push(made);
}

void PickleReader::Rename(const PickleValue& container,
                          const PickleValue& record) {
  const uint32_t entry = containers_.memo(container);
  if (entry != PickleContainers::kNoMemo) memo_.Put(entry, record);
  containers_.Release(container);
}

void PickleReader::Seal(PickleValue* value) {
  if (!containers_.Has(*value)) return;
  const auto items = containers_.Items(*value);
  const auto record =
      value->is(Kind::kDict) ? sink_->Dict(items) : sink_->Sequence(items);
  if (!record) return;
  Rename(*value, *record);
  *value = *record;
}

void PickleReader::Fill(const PickleValue& container,
                        std::span<PickleValue> items) {
  const bool dict = container.is(Kind::kDict);
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].is_container()) Seal(&items[i]);
    if (!dict) {
      containers_.Append(container, items[i]);
    } else if (i % 2 != 0) {
      containers_.Put(container, items[i - 1], items[i]);
    }
  }
}

bool PickleReader::Append() {
  if (stack_.size() < 2) return Bad("APPEND to nothing");
  const PickleValue list = stack_[stack_.size() - 2];
  Fill(list, std::span(stack_).last(1));
  stack_.pop_back();
  return true;
}

bool PickleReader::SetItem() {
  if (stack_.size() < 3) return Bad("SETITEM to nothing");
  const PickleValue dict = stack_[stack_.size() - 3];
  Fill(dict, std::span(stack_).last(2));
  stack_.resize(stack_.size() - 2);
  return true;
}

bool PickleReader::Appends() {
  size_t first = 0;
  if (!TakeMark(&first)) return false;
  if (first == 0) return Bad("APPENDS to nothing");
  PickleValue& list = stack_[first - 1];
  const auto items = std::span(stack_).subspan(first);
  std::optional<PickleValue> record;
  if (items.size() != kBatch && containers_.Items(list).empty()) {
    record = sink_->Sequence(items);
  }
  if (record) {
    Rename(list, *record);
    list = *record;
  } else {
    Fill(list, items);
  }
  stack_.resize(first);
  return true;
}

bool PickleReader::SetItems() {
  size_t first = 0;
  if (!TakeMark(&first)) return false;
  const auto items = std::span(stack_).subspan(first);
  if (first == 0) return Bad("SETITEMS to nothing");
  if (items.size() % 2 != 0) return Bad("a key has no value");
  PickleValue& dict = stack_[first - 1];
  for (PickleValue& item : items) {
    if (item.is_container()) Seal(&item);
  }
  std::optional<PickleValue> record;
  if (containers_.Items(dict).empty()) record = sink_->Dict(items);
  if (record) {
    Rename(dict, *record);
    dict = *record;
  } else {
    Fill(dict, items);
  }
  stack_.resize(first);
  return true;
}

}  // namespace inquest::importers
