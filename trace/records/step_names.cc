// SPDX-License-Identifier: Apache-2.0
#include "trace/records/step_names.h"

#include <algorithm>

#include "base/text.h"

namespace inquest::trace {
namespace {

// `word` is in lower case.
bool StartsWith(std::string_view text, std::string_view word) {
  return EqualsIgnoringCase(text.substr(0, word.size()), word);
}

// Whether a word can begin here: "a_step", "aStep", "minibatch".
bool BeginsWord(std::string_view name, size_t at) {
  if (at == 0 || !IsAlpha(name[at - 1])) return true;
  if (IsUpper(name[at]) && IsLower(name[at - 1])) return true;
  return at >= 4 && StartsWith(name.substr(at - 4), "mini") &&
         BeginsWord(name, at - 4);
}

// Whether the word ends here, perhaps with an ending: steps, iterations.
bool EndsWord(std::string_view rest) {
  for (const std::string_view ending : {"ations", "ation", "es", "s"}) {
    if (StartsWith(rest, ending)) {
      rest.remove_prefix(ending.size());
      break;
    }
  }
  return rest.empty() || !IsLower(rest.front());
}

// batch_norm, BatchMatMul and the like are operations on a batch.
bool IsOperationOfBatches(std::string_view rest) {
  if (!rest.empty() && (rest.front() == '_' || rest.front() == ' ')) {
    rest.remove_prefix(1);
  }
  for (const std::string_view what : {"norm", "mat", "mul", "gemm", "dot"}) {
    if (StartsWith(rest, what)) return true;
  }
  return false;
}

RangeKind KindOfWord(std::string_view name, size_t at) {
  for (const std::string_view word : {"step", "iter", "batch", "epoch"}) {
    if (!StartsWith(name.substr(at), word)) continue;
    const std::string_view rest = name.substr(at + word.size());
    if (!BeginsWord(name, at) || !EndsWord(rest)) continue;
    if (word == "batch" && IsOperationOfBatches(rest)) continue;
    return word == "epoch" ? RangeKind::kEpoch : RangeKind::kStep;
  }
  return RangeKind::kOther;
}

// A qualified name of C++: "aten::add", "Trainer::TrainStep", not "Step::5".
bool IsQualified(std::string_view name) {
  for (size_t at = name.find("::"); at != name.npos;
       at = name.find("::", at + 2)) {
    if (at + 2 < name.size() && at > 0 && IsAlpha(name[at - 1]) &&
        (IsAlpha(name[at + 2]) || name[at + 2] == '_')) {
      return true;
    }
  }
  return false;
}

bool IsBackward(std::string_view name) {
  while (!name.empty() && IsDigit(name.back())) {
    name.remove_suffix(1);
  }
  constexpr std::string_view kBackward = "Backward";
  return name.size() > kBackward.size() && name.ends_with(kBackward);
}

bool IsOfLibrary(std::string_view name) {
  return name.starts_with("nccl") || name.starts_with("cudnn") ||
         name.starts_with("cublas");
}

// The kind that one of its words means.
RangeKind KindOfWords(std::string_view name, bool qualified) {
  RangeKind kind = RangeKind::kOther;
  for (size_t at = 0; at < name.size(); ++at) {
    const char c = ToLower(name[at]);
    if (c != 's' && c != 'i' && c != 'b' && c != 'e') continue;
    if (qualified && c == 'b') continue;  // aten::_batch_norm_impl_index
    const RangeKind word = KindOfWord(name, at);
    if (word == RangeKind::kStep) return word;
    if (word == RangeKind::kEpoch) kind = word;
  }
  return kind;
}

}  // namespace

std::string_view BareRangeName(std::string_view name) {
  name = name.substr(0, kMaxNameLength);
  for (size_t at = name.find(", "); at != name.npos;
       at = name.find(", ", at + 2)) {
    for (const std::string_view what : {"seq = ", "op_id = ", "sizes = "}) {
      if (name.substr(at + 2).starts_with(what)) return name.substr(0, at);
    }
  }
  return name;
}

RangeKind KindOfRange(std::string_view whole) {
  const std::string_view name = BareRangeName(whole);
  if (IsBackward(name) || IsOfLibrary(name)) return RangeKind::kOperation;
  const bool qualified = IsQualified(name);
  const RangeKind kind = KindOfWords(name, qualified);
  if (kind != RangeKind::kOther) return kind;
  const bool numbered = name.size() < std::min(whole.size(), kMaxNameLength);
  return qualified || numbered ? RangeKind::kOperation : RangeKind::kOther;
}

}  // namespace inquest::trace
