// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/pickle/pickle_objects.h"

namespace inquest::importers {
namespace {

using Kind = PickleValue::Kind;

uint64_t Pack(const PickleValue& value) {
  return static_cast<uint64_t>(value.kind) << 56 | uint64_t{value.type} << 48 |
         (static_cast<uint64_t>(value.number) & 0xffff) << 32 | value.index;
}

// Whether `next` continues `last`.
bool Continues(const PickleValue& last, const PickleValue& next) {
  return next.is(Kind::kRecord) && last.is_record(next.type) &&
         last.index + static_cast<uint64_t>(last.number) == next.index;
}

}  // namespace

uint32_t PickleTexts::Intern(std::string_view text) {
  const auto found = index_.find(text);
  if (found != index_.end()) return found->second;
  bytes_ += text.size() + sizeof(std::string);
  if (full()) text = {};
  if (full() && index_.contains(text)) return index_[text];
  const auto index = static_cast<uint32_t>(texts_.size());
  texts_.push_back(store_.emplace_back(text));
  index_.emplace(texts_.back(), index);
  return index;
}

PickleValue PickleContainers::Make(Kind kind) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(all_.size()));
    all_.emplace_back();
    values_ += 2;  // the cost of an empty one
  }
  const uint32_t index = free_.back();
  free_.pop_back();
  all_[index].kind = kind;
  PickleValue value = PickleValue::Of(kind, all_[index].generation);
  value.index = index;
  return value;
}

bool PickleContainers::Has(const PickleValue& value) const {
  return value.is_container() && value.index < all_.size() &&
         all_[value.index].kind == value.kind &&
         all_[value.index].generation == value.number;
}

std::span<const PickleValue> PickleContainers::Items(
    const PickleValue& value) const {
  if (!Has(value)) return {};
  return all_[value.index].items;
}

void PickleContainers::Append(const PickleValue& to, const PickleValue& value) {
  if (!Has(to) || full()) return;
  auto& items = all_[to.index].items;
  if (!items.empty() && Continues(items.back(), value)) {
    ++items.back().number;
    return;
  }
  items.push_back(value);
  ++values_;
}

void PickleContainers::Put(const PickleValue& to, const PickleValue& key,
                           const PickleValue& value) {
  if (!Has(to) || full()) return;
  auto& items = all_[to.index].items;
  items.push_back(key);
  items.push_back(value);
  values_ += 2;
}

uint32_t PickleContainers::memo(const PickleValue& value) const {
  return Has(value) ? all_[value.index].memo : kNoMemo;
}

void PickleContainers::set_memo(const PickleValue& value, uint32_t entry) {
  if (Has(value)) all_[value.index].memo = entry;
}

void PickleContainers::Release(const PickleValue& value) {
  if (!Has(value)) return;
  Container& gone = all_[value.index];
  values_ -= gone.items.size();
  gone.items.clear();
  // A large one would never release its memory.
  if (gone.items.capacity() > 4096) gone.items.shrink_to_fit();
  gone.kind = Kind::kNone;
  gone.memo = kNoMemo;
  ++gone.generation;
  free_.push_back(value.index);
}

bool PickleMemo::Put(uint64_t entry, const PickleValue& value) {
  if (entry >= most_ || entry > entries_.size() + kMaxGap) return false;
  if (IsNumber(value)) {
    numbers_[entry] = value;
    if (numbers_.size() > kMaxGap) return false;  // writers do not do that
  }
  return entries_.Set(entry, Pack(value));
}

}  // namespace inquest::importers
