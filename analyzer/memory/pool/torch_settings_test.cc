// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/pool/torch_settings.h"

#include "base/units.h"
#include "tests/catch_compat.h"

namespace inquest::memory {
namespace {

constexpr int64_t kKiB = 1 << 10;

TorchSettings Parsed(const std::string& text) {
  TorchSettings settings;
  const Status status = ParseTorchSettings(text, &settings);
  INFO(status.message());
  REQUIRE(status.ok());
  return settings;
}

TEST_CASE("settings: words of PYTORCH_CUDA_ALLOC_CONF") {
  const auto settings = Parsed(
      "max_split_size_mb:128, garbage_collection_threshold:0.6,"
      "expandable_segments:True,pinned_use_background_threads:True,"
      "per_process_memory_fraction:0.9,max_non_split_rounding_mb:30,"
      "large_segment_size_mb:12");
  CHECK(settings.max_split_size == 128 * kMiB);
  CHECK(settings.garbage_collection_threshold == 0.6);
  CHECK(settings.memory_fraction == 0.9);
  CHECK(settings.expandable_segments);
  CHECK(settings.max_non_split_rounding == 30 * kMiB);
  CHECK(settings.large_segment_size == 12 * kMiB);
  CHECK(Parsed("backend:cudaMallocAsync").async_backend);
  CHECK_FALSE(Parsed("backend:native").async_backend);
}

TEST_CASE("settings: text that cannot be parsed changes nothing") {
  for (const char* text :
       {"max_split_size_mb:19", "max_split_size_mb:", "max_split_size_mb",
        "max_split_size_mb:x", "expandable_segments:maybe", "colour:red",
        "garbage_collection_threshold:2", "backend:mine",
        "roundup_power2_divisions:3", "roundup_power2_divisions:[256:3]",
        "roundup_power2_divisions:[256:2", "max_split_size_mb:64 99:1",
        "max_split_size_mb:99999999999999999999"}) {
    INFO(text);
    TorchSettings settings;
    CHECK_FALSE(ParseTorchSettings(text, &settings).ok());
    CHECK(settings.max_split_size == INT64_MAX);
  }
}

TEST_CASE("settings: sizes are rounded up to 512 bytes") {
  const TorchSettings settings;
  CHECK(settings.RoundSize(1) == 512);
  CHECK(settings.RoundSize(512) == 512);
  CHECK(settings.RoundSize(513) == 1024);
  CHECK(settings.RoundSize(3 * kMiB + 1) == 3 * kMiB + 512);
}

// 1200 with 4 divisions is 1280 in PyTorch's own comment; here a thousand times
// larger, because divisions below 512 bytes do not apply.
TEST_CASE("settings: rounding to divisions of powers of two") {
  const auto settings = Parsed("roundup_power2_divisions:4");
  CHECK(settings.RoundSize(1200 * kKiB) == 1280 * kKiB);
  CHECK(settings.RoundSize(1024 * kKiB) == 1024 * kKiB);
  CHECK(settings.RoundSize(1024 * kKiB + 1) == 1280 * kKiB);
  CHECK(settings.RoundSize(2047 * kKiB) == 2048 * kKiB);
  CHECK(settings.RoundSize(2000) == 2048);  // 2000 <= 4 * 512
  CHECK(settings.RoundSize(2100) == 2560);
}

TEST_CASE("settings: what is split off after a block") {
  TorchSettings settings;
  CHECK(settings.SplitsOff(kMiB, 512, false));  // of the small pool
  CHECK_FALSE(settings.SplitsOff(512, 256, false));
  CHECK_FALSE(settings.SplitsOff(2 * kMiB, kMiB, false));
  CHECK(settings.SplitsOff(2 * kMiB, kMiB + 512, false));
  CHECK(settings.SplitsOff(2 * kMiB, 512, true));  // in segments that grow
  settings.max_split_size = 64 * kMiB;
  CHECK(settings.SplitsOff(64 * kMiB - 512, 2 * kMiB, false));
  CHECK_FALSE(settings.SplitsOff(64 * kMiB, 16 * kMiB, false));
}

TEST_CASE("settings: a list of divisions by size") {
  const auto settings =
      Parsed("roundup_power2_divisions:[64:8,256:4,1024:2,>:1]");
  CHECK(settings.Divisions(100) == 8);  // the first value, below 1 MiB too
  CHECK(settings.Divisions(64 * kMiB) == 8);
  CHECK(settings.Divisions(127 * kMiB) == 8);
  CHECK(settings.Divisions(128 * kMiB) == 0);  // between 64 and 256
  CHECK(settings.Divisions(256 * kMiB) == 4);
  CHECK(settings.Divisions(1024 * kMiB) == 1);  // ">" begins at the last size
  CHECK(settings.Divisions(int64_t{1} << 40) == 1);
}

}  // namespace
}  // namespace inquest::memory
