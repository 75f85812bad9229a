// SPDX-License-Identifier: Apache-2.0
// Which files the dynamic linker would load for a library, by ld.so(8): the
// DT_RPATH of the caller and of those that needed it, LD_LIBRARY_PATH, the
// caller's DT_RUNPATH, /etc/ld.so.cache, the standard folders. What an earlier
// library has loaded under the same name wins, as in a process.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/doctor/elf_file.h"

namespace inquest::doctor {

struct Loaded {
  std::string path;       // empty: not found
  std::string needed_by;  // the file that asks for it
};

class Linker {
 public:
  explicit Linker(std::string root) : root_(std::move(root)) {}

  // The file of that name for a caller; empty: none.
  std::string Find(const std::string& name, const ElfFile& caller) const;
  // Loads a library with all that it needs.
  void Load(const std::string& path);
  // By soname.
  const std::map<std::string, Loaded>& loaded() const { return loaded_; }

 private:
  std::string root_;
  std::map<std::string, Loaded> loaded_;
};

}  // namespace inquest::doctor
