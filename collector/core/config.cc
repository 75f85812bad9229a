// SPDX-License-Identifier: Apache-2.0
#include "collector/core/config.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace inquest::collector {
namespace {

const char* Get(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A number with an optional suffix k, m or g (powers of 1024).
uint64_t Number(const char* name, uint64_t otherwise, uint64_t least) {
  const char* text = Get(name);
  char* end = nullptr;
  uint64_t value = std::strtoull(text, &end, 10);
  if (end == text || *text == '-') return otherwise;
  const char unit = static_cast<char>(*end | 0x20);
  if (unit == 'k') value <<= 10;
  if (unit == 'm') value <<= 20;
  if (unit == 'g') value <<= 30;
  return value < least ? otherwise : value;
}

Tensors ReadTensors() {
  const std::string_view text = Get("INQUEST_TENSORS");
  if (text == "off") return Tensors::kOff;
  if (text == "bare") return Tensors::kBare;
  return text == "stacks" ? Tensors::kStacks : Tensors::kOn;
}

}  // namespace

Config LoadConfig() {
  Config config;
  config.directory = Get("INQUEST_DIR");
  const std::string_view stacks = Get("INQUEST_STACKS");
  config.native_stacks = stacks != "off" && stacks != "python";
  config.python_stacks = stacks != "off" && stacks != "native";
  config.free_stacks = stacks == "all";
  config.tensors = ReadTensors();
  config.journal_bytes =
      Number("INQUEST_JOURNAL_SIZE", config.journal_bytes, 1);
  if (config.journal_bytes > 256u << 20) config.journal_bytes = 256u << 20;
  config.max_disk_bytes =
      Number("INQUEST_MAX_DISK", config.max_disk_bytes, 1u << 20);
  config.sample_seconds =
      static_cast<int64_t>(Number("INQUEST_SAMPLE_SECONDS", 10, 0));
  config.cupti = Get("INQUEST_CUPTI");
  config.system_root = Get("INQUEST_SYSTEM_ROOT");
  return config;
}

bool SwitchedOffByUser() {
  return std::strcmp(Get("INQUEST"), "off") == 0;
}

}  // namespace inquest::collector
