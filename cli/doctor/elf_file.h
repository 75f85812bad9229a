// SPDX-License-Identifier: Apache-2.0
// What a shared object asks of the dynamic linker, and data that it exports,
// read from its file.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace inquest::doctor {

struct ElfFile {
  std::string path;  // as it would be opened
  bool readable = false;
  std::vector<std::string> needed;  // DT_NEEDED
  std::string rpath;                // DT_RPATH, with $ORIGIN replaced
  std::string runpath;              // DT_RUNPATH, likewise
};

ElfFile ReadElf(const std::string& path);

// The first of these names that the file exports as data: its first eight
// bytes, lowest first.
std::optional<uint64_t> ReadExported(const std::string& path,
                                     std::initializer_list<const char*> names);

}  // namespace inquest::doctor
