// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/load_budget.h"

#include <algorithm>

#include "base/units.h"

namespace inquest::rules {
namespace {

constexpr size_t kMaxLoadBytes = 4u << 20;

constexpr size_t kMaxCopiedBytes = 32u << 20;
constexpr size_t kBytesOfCopy = 256;  // at least

size_t Most(std::string_view kind) {
  if (kind == "signatures") return 3000;
  return kind == "relations" ? 2500 : 5000;
}

}  // namespace

bool LoadBudget::Admit(const std::string& name, size_t bytes,
                       Diagnostics* diagnostics) {
  bytes_ += bytes;
  if (bytes_ <= kMaxLoadBytes) return true;
  if (full_) return false;  // already reported
  full_ = true;
  Diagnostic diagnostic;
  diagnostic.code = "R004";
  diagnostic.message = "the rule files are larger than " +
                       FormatBytes(static_cast<int64_t>(kMaxLoadBytes)) +
                       " together";
  diagnostic.file = name;
  diagnostic.reason = "this file and later ones are left out";
  diagnostic.help = "give fewer rule files at a time";
  diagnostics->push_back(std::move(diagnostic));
  return false;
}

LoadBudget::Share LoadBudget::Take(std::string_view kind, size_t wanted) {
  size_t& taken = taken_[std::string(kind)];
  const size_t left = Most(kind) - std::min(taken, Most(kind));
  const bool was_over = taken > Most(kind);
  taken += wanted;
  return {std::min(wanted, left), !was_over && taken > Most(kind)};
}

bool LoadBudget::TakeCopies(size_t entries, size_t bytes) {
  if (entries > 0 && bytes + kBytesOfCopy > kMaxCopiedBytes / entries) {
    return false;
  }
  copied_ += entries * (bytes + kBytesOfCopy);
  return copied_ <= kMaxCopiedBytes;
}

void LoadBudget::RefuseCopies(const Place& place, Reporter* reporter) {
  reporter->Error(
      place,
      {"R004",
       "overrides put more than " +
           FormatBytes(static_cast<int64_t>(kMaxCopiedBytes)) +
           " of text into other entries",
       "this one is left out; its texts are copied into each entry that it "
       "names",
       "shorten the texts, or name fewer entries"});
}

void LoadBudget::Refuse(std::string_view kind, const Place& place,
                        Reporter* reporter) {
  reporter->Error(
      place, {"R004",
              "more than " + FormatCount(static_cast<int64_t>(Most(kind))) +
                  " " + std::string(kind),
              "this one and later ones are left out",
              "give fewer rule files at a time"});
}

}  // namespace inquest::rules
