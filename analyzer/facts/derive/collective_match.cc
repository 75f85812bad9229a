// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/collective_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace inquest::facts {
namespace {

using Calls = std::vector<const CollectiveCall*>;
using Describe = std::function<std::string(const CollectiveCall&)>;

bool IsAllToAll(const CollectiveCall& call) {
  return call.type.starts_with("all_to_all") ||
         call.type.starts_with("alltoall");
}

std::string TypeOf(const CollectiveCall& call) {
  return call.type;
}

std::string DtypesOf(const CollectiveCall& call) {
  return call.input_dtypes + " to " + call.output_dtypes;
}

// The library compares numbers of elements, not shapes; in some operations the
// number differs between ranks.
std::string SizesOf(const CollectiveCall& call) {
  std::string sizes;
  if (IsAllToAll(call) || call.type == "coalesced") return sizes;
  if (call.type != "scatter") {
    sizes = fmt::format("{} elements", ElementsOf(call.input_sizes));
  }
  if (call.type != "gather") {
    sizes += fmt::format(" to {}", ElementsOf(call.output_sizes));
  }
  return sizes;
}

std::string DescribeAll(const Calls& calls, const Describe& describe) {
  std::string text;
  for (const CollectiveCall* call : calls) {
    if (!text.empty()) text += ", ";
    text += describe(*call);
  }
  return text;
}

// Fills `mismatch` if the descriptions differ.
bool Differ(const std::map<int64_t, Calls>& calls, const char* what,
            const Describe& describe, CollectiveMismatch* mismatch) {
  std::map<std::string, std::set<int64_t>> by_text;
  for (const auto& [rank, list] : calls) {
    by_text[DescribeAll(list, describe)].insert(rank);
  }
  const auto more = [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  };
  const auto usual = std::max_element(by_text.begin(), by_text.end(), more);
  mismatch->usual = calls.at(*usual->second.begin()).front();
  if (by_text.size() < 2) return false;
  mismatch->differs = what;
  mismatch->expected = usual->first;
  size_t as_many = 0;
  for (const auto& [text, ranks] : by_text) {
    if (ranks.size() == usual->second.size()) ++as_many;
  }
  for (const auto& [text, ranks] : by_text) {
    if (text == usual->first) continue;
    if (mismatch->found.empty()) mismatch->found = text;
    mismatch->odd.insert(ranks.begin(), ranks.end());
  }
  if (as_many > 1) {
    mismatch->odd.insert(usual->second.begin(), usual->second.end());
  }
  return true;
}

// In total, as much is sent as is received; ranks may differ.
bool AllToAllDiffers(const std::map<int64_t, Calls>& calls,
                     CollectiveMismatch* mismatch) {
  int64_t in = 0;
  int64_t out = 0;
  for (const auto& [rank, list] : calls) {
    if (list.size() != 1 || !IsAllToAll(*list[0])) return false;
    const int64_t one_in = ElementsOf(list[0]->input_sizes);
    const int64_t one_out = ElementsOf(list[0]->output_sizes);
    if (one_in < 0 || one_out < 0 || __builtin_add_overflow(in, one_in, &in) ||
        __builtin_add_overflow(out, one_out, &out)) {
      return false;
    }
  }
  if (in == out) return false;
  mismatch->differs = "size";
  mismatch->expected = fmt::format("{} elements sent by all", in);
  mismatch->found = fmt::format("{} received by all", out);
  for (const auto& [rank, list] : calls) mismatch->odd.insert(rank);
  return true;
}

}  // namespace

CollectiveMismatch MatchCalls(const std::map<int64_t, Calls>& calls,
                              bool whole) {
  CollectiveMismatch mismatch;
  if (calls.empty()) return mismatch;
  if (Differ(calls, "operation", TypeOf, &mismatch)) return mismatch;
  if (Differ(calls, "type", DtypesOf, &mismatch)) return mismatch;
  if (Differ(calls, "size", SizesOf, &mismatch)) return mismatch;
  if (whole) AllToAllDiffers(calls, &mismatch);
  return mismatch;
}

}  // namespace inquest::facts
