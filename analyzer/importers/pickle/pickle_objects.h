// SPDX-License-Identifier: Apache-2.0
// The objects that exist while a pickle is read: each distinct text once,
// containers that have not become records, and the memo. For PickleReader and
// its sink; one thread. Everything is bounded by PickleLimits; exceeding a
// limit is reported by full() and is never fatal.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyzer/importers/pickle/paged_numbers.h"
#include "analyzer/importers/pickle/pickle_value.h"

namespace inquest::importers {

// Far more than a snapshot of 5 GB needs; all of it together fits into a
// laptop's memory. Counts, except `text`.
struct PickleLimits {
  size_t text = 256u << 20;   // bytes of distinct texts
  size_t memo = 256u << 20;   // entries of eight bytes, most of them on disk
  size_t values = 16u << 20;  // on the stack, and again in containers
};

class PickleTexts {
 public:
  explicit PickleTexts(size_t most) : most_(most) {}
  // Above the limit all texts become empty.
  uint32_t Intern(std::string_view text);
  std::string_view Of(const PickleValue& value) const {
    return value.is(PickleValue::Kind::kText) ? texts_[value.index]
                                              : std::string_view();
  }
  std::string_view At(uint32_t index) const { return texts_[index]; }
  bool full() const { return bytes_ > most_; }

 private:
  std::deque<std::string> store_;
  std::vector<std::string_view> texts_;
  std::unordered_map<std::string_view, uint32_t> index_;
  size_t bytes_ = 0;
  size_t most_;
};

// Lists, tuples and dicts (keys and values alternating). Records with
// consecutive numbers are kept as one, with their count.
class PickleContainers {
 public:
  explicit PickleContainers(size_t most) : most_(most) {}
  static constexpr uint32_t kNoMemo = UINT32_MAX;

  PickleValue Make(PickleValue::Kind kind);
  // Whether the value is an existing container.
  bool Has(const PickleValue& value) const;
  std::span<const PickleValue> Items(const PickleValue& value) const;
  void Append(const PickleValue& to, const PickleValue& value);
  void Put(const PickleValue& to, const PickleValue& key,
           const PickleValue& value);
  // The first memo entry that refers to it, to replace it there.
  uint32_t memo(const PickleValue& value) const;
  void set_memo(const PickleValue& value, uint32_t entry);
  void Release(const PickleValue& value);
  bool full() const { return values_ > most_; }

 private:
  struct Container {
    std::vector<PickleValue> items;
    uint32_t memo = kNoMemo;
    uint16_t generation = 0;
    PickleValue::Kind kind = PickleValue::Kind::kNone;
  };
  std::vector<Container> all_;
  std::vector<uint32_t> free_;
  size_t values_ = 0;
  size_t most_;
};

// Entries as PUT, GET and MEMOIZE number them. Eight bytes each, so numbers
// that do not fit beside the kind are not kept.
class PickleMemo {
 public:
  explicit PickleMemo(size_t most) : most_(most) {}
  // False if the entry is above the limit or far above all previous ones.
  bool Put(uint64_t entry, const PickleValue& value);
  // In the header because it is called most often.
  bool Get(uint64_t entry, PickleValue* value) {
    const uint64_t packed = entries_.At(entry);
    if (packed == PagedNumbers::kNothing) return false;
    value->kind = static_cast<PickleValue::Kind>(packed >> 56);
    value->type = static_cast<uint8_t>(packed >> 48);
    value->number = static_cast<int64_t>(packed >> 32 & 0xffff);
    value->index = static_cast<uint32_t>(packed);
    if (IsNumber(*value)) *value = numbers_.at(entry);
    return true;
  }
  size_t size() const { return entries_.size(); }

 private:
  static bool IsNumber(const PickleValue& value) {
    return value.is(PickleValue::Kind::kInt) ||
           value.is(PickleValue::Kind::kFloat);
  }
  static constexpr size_t kMaxGap = 1 << 20;
  PagedNumbers entries_;
  std::unordered_map<uint64_t, PickleValue> numbers_;  // usually empty
  size_t most_;
};

}  // namespace inquest::importers
