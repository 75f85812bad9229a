// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/pool/torch_settings.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "base/units.h"

namespace inquest::memory {
namespace {

// These settings do not affect device memory.
const std::set<std::string, std::less<>> kNoMatter = {
    "release_lock_on_cudamalloc",     "release_lock_on_hipmalloc",
    "pinned_use_cuda_host_register",  "pinned_use_hip_host_register",
    "pinned_num_register_threads",    "pinned_use_background_threads",
    "pinned_reserve_segment_size_mb", "graph_capture_record_stream_reuse",
    "pinned_max_power2_size_mb",      "pinned_max_round_threshold_mb",
    "throw_on_cudamalloc_oom",
};

std::vector<std::string> Words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(std::move(word));
    word.clear();
  };
  for (const char c : text) {
    if (c == ',' || c == ':' || c == '[' || c == ']') {
      finish();
      words.emplace_back(1, c);
    } else if (c != ' ' && c != '\t') {
      word += c;
    }
  }
  finish();
  return words;
}

class Parser {
 public:
  Parser(std::string_view text, TorchSettings* settings)
      : words_(Words(text)), settings_(settings) {}

  Status Parse() {
    while (at_ < words_.size()) {
      RETURN_IF_ERROR(Setting());
      if (at_ < words_.size()) RETURN_IF_ERROR(Expect(","));
    }
    return Status::Ok();
  }

 private:
  std::string Next() { return at_ < words_.size() ? words_[at_++] : ""; }

  Status Wrong(const std::string& what) const {
    return Usage("in the allocator's settings, " + what);
  }

  Status Expect(std::string_view word) {
    const std::string got = Next();
    if (got == word) return Status::Ok();
    return Wrong("'" + std::string(word) + "' should come before '" + got +
                 "'");
  }

  Expected<int64_t> Number(const std::string& name, const std::string& word) {
    int64_t value = 0;
    const char* end = word.data() + word.size();
    const auto read = std::from_chars(word.data(), end, value);
    const bool fine = read.ec == std::errc() && read.ptr == end;
    if (fine && value >= 0 && value < (int64_t{1} << 40)) return value;
    return Wrong(name + " cannot be '" + word + "'");
  }

  Status MegaBytes(const std::string& name, int64_t least, int64_t* target) {
    ASSIGN_OR_RETURN(const int64_t value, Number(name, Next()));
    if (value < least) {
      return Wrong(name + " must be at least " + std::to_string(least));
    }
    *target = value * kMiB;
    return Status::Ok();
  }

  Status Truth(const std::string& name, bool* target) {
    const std::string word = Next();
    if (word != "True" && word != "False" && word != "true" &&
        word != "false") {
      return Wrong(name + " must be True or False, not '" + word + "'");
    }
    *target = word[0] == 'T' || word[0] == 't';
    return Status::Ok();
  }

  Expected<double> Fraction(const std::string& name) {
    const std::string word = Next();
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    if (word.empty() || *end != 0 || !(value >= 0) || value > 1) {
      return Wrong(name + " must be between 0 and 1, not '" + word + "'");
    }
    return value;
  }

  Expected<int64_t> Divisions(const std::string& word) {
    ASSIGN_OR_RETURN(const int64_t value,
                     Number("roundup_power2_divisions", word));
    if (value == 0 || std::has_single_bit(static_cast<uint64_t>(value))) {
      return value;
    }
    return Wrong("roundup_power2_divisions must be powers of two, not " + word);
  }

  Status RoundupList();
  Status Roundup();
  Status Setting();

  std::vector<std::string> words_;
  size_t at_ = 0;
  TorchSettings* settings_;
};

Status Parser::RoundupList() {
  auto& divisions = settings_->roundup_divisions;
  size_t last = 0;
  bool first = true;
  while (at_ < words_.size() && words_[at_] != "]") {
    const std::string size = Next();
    RETURN_IF_ERROR(Expect(":"));
    ASSIGN_OR_RETURN(const int64_t value, Divisions(Next()));
    if (size == ">") {
      std::fill(divisions.begin() + static_cast<ptrdiff_t>(last),
                divisions.end(), value);
    } else {
      ASSIGN_OR_RETURN(const int64_t megabytes, Divisions(size));
      if (megabytes == 0) return Wrong("a size cannot be 0");
      last = std::min<size_t>(static_cast<size_t>(std::countr_zero(
                                  static_cast<uint64_t>(megabytes))),
                              kRoundupIntervals - 1);
      if (first) std::fill_n(divisions.begin(), last, value);
      divisions[last] = value;
      first = false;
    }
    if (at_ < words_.size() && words_[at_] != "]") RETURN_IF_ERROR(Expect(","));
  }
  return Expect("]");
}

Status Parser::Roundup() {
  if (at_ < words_.size() && words_[at_] == "[") {
    ++at_;
    return RoundupList();
  }
  ASSIGN_OR_RETURN(const int64_t value, Divisions(Next()));
  settings_->roundup_divisions.fill(value);
  return Status::Ok();
}

Status Parser::Setting() {
  const std::string name = Next();
  RETURN_IF_ERROR(Expect(":"));
  if (name == "max_split_size_mb") {
    return MegaBytes(name, 20, &settings_->max_split_size);
  }
  if (name == "max_non_split_rounding_mb") {
    return MegaBytes(name, 20, &settings_->max_non_split_rounding);
  }
  if (name == "large_segment_size_mb") {
    return MegaBytes(name, 2, &settings_->large_segment_size);
  }
  if (name == "expandable_segments") {
    return Truth(name, &settings_->expandable_segments);
  }
  if (name == "garbage_collection_threshold") {
    ASSIGN_OR_RETURN(settings_->garbage_collection_threshold, Fraction(name));
    return Status::Ok();
  }
  if (name == "per_process_memory_fraction") {
    ASSIGN_OR_RETURN(settings_->memory_fraction, Fraction(name));
    return Status::Ok();
  }
  if (name == "roundup_power2_divisions") return Roundup();
  if (name == "backend") {
    const std::string backend = Next();
    if (backend != "native" && backend != "cudaMallocAsync" &&
        backend != "hipMallocAsync") {
      return Wrong("backend must be native or cudaMallocAsync, not '" +
                   backend + "'");
    }
    settings_->async_backend = backend != "native";
    return Status::Ok();
  }
  if (!kNoMatter.contains(name))
    return Wrong("there is no setting '" + name + "'");
  while (at_ < words_.size() && words_[at_] != ",") ++at_;
  return Status::Ok();
}

}  // namespace

int64_t TorchSettings::Divisions(int64_t bytes) const {
  const int power = std::bit_width(static_cast<uint64_t>(bytes)) - 1;
  const int index = std::clamp(power - 20, 0, int{kRoundupIntervals} - 1);
  return roundup_divisions[static_cast<size_t>(index)];
}

int64_t TorchSettings::RoundSize(int64_t bytes) const {
  if (bytes < kTorchMinBlock) return kTorchMinBlock;
  const int64_t divisions = Divisions(bytes);
  if (divisions <= 1 || bytes <= kTorchMinBlock * divisions) {
    return (bytes + kTorchMinBlock - 1) / kTorchMinBlock * kTorchMinBlock;
  }
  const auto size = static_cast<uint64_t>(bytes);
  if (std::has_single_bit(size)) return bytes;
  const uint64_t step = std::bit_floor(size) / static_cast<uint64_t>(divisions);
  return static_cast<int64_t>((size + step - 1) / step * step);
}

// should_split
bool TorchSettings::SplitsOff(int64_t rounded, int64_t rest, bool grows) const {
  if (rounded <= kTorchSmallSize || grows) return rest >= kTorchMinBlock;
  return rounded < max_split_size && rest > kTorchSmallSize;
}

int64_t TorchSettings::SegmentBytes(int64_t rounded) const {
  constexpr int64_t kSmallBuffer = 2 << 20;
  constexpr int64_t kMinLargeAlloc = 10 << 20;
  constexpr int64_t kRoundLarge = 2 << 20;
  const auto whole = [&](int64_t of) {
    return rounded > INT64_MAX - of ? rounded : (rounded + of - 1) / of * of;
  };
  if (rounded <= kTorchSmallSize) return kSmallBuffer;
  if (expandable_segments) return whole(large_segment_size);
  if (rounded < kMinLargeAlloc) return large_segment_size;
  return whole(kRoundLarge);
}

Status ParseTorchSettings(std::string_view text, TorchSettings* settings) {
  TorchSettings read = *settings;
  RETURN_IF_ERROR(Parser(text, &read).Parse());
  *settings = read;
  return Status::Ok();
}

}  // namespace inquest::memory
