// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/sites/symbolize.h"

#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "base/text.h"

namespace inquest::memory {

std::string WithoutArguments(std::string name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (size_t at = name.find(kAnonymous); at != name.npos;
       at = name.find(kAnonymous)) {
    name.erase(at, kAnonymous.size());
  }
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] != '(' || depth != 0 || i == 0) continue;
    name.resize(i);
    break;
  }
  return name;
}

namespace {

struct Module {
  std::string path;
  std::string build_id;
  uint64_t base = 0;
  uint64_t size = 0;
};

std::string Demangle(const char* symbol) {
  int status = 0;
  char* plain = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string name = status == 0 && plain != nullptr ? plain : symbol;
  free(plain);
  return WithoutArguments(std::move(name));
}

std::string BuildIdOf(Dwfl_Module* module) {
  const unsigned char* bits = nullptr;
  GElf_Addr where = 0;
  const int length = dwfl_module_build_id(module, &bits, &where);
  std::string hex;
  for (int i = 0; i < length; ++i) hex += fmt::format("{:02x}", bits[i]);
  return hex;
}

char kNoDebugPath[] = "";
char* debug_path = kNoDebugPath;

const Dwfl_Callbacks kCallbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_path,
};

}  // namespace

struct Symbolizer::Impl {
  std::vector<Module> modules;
  Dwfl* dwfl = nullptr;

  const Module* Find(uint64_t address) const;
};

const Module* Symbolizer::Impl::Find(uint64_t address) const {
  for (const Module& module : modules) {
    if (address >= module.base && address - module.base < module.size) {
      return &module;
    }
  }
  return nullptr;
}

Symbolizer::Symbolizer(facts::Store* store, int process)
    : impl_(std::make_unique<Impl>()) {
  auto rows = store->db().Prepare("SELECT path, build_id, base, size FROM " +
                                  store->TracePrefix(process) + "library");
  if (!rows.ok()) return;
  for (Module one;
       rows->Next(&one.path, &one.build_id, &one.base, &one.size);) {
    impl_->modules.push_back(one);
  }
  impl_->dwfl = dwfl_begin(&kCallbacks);
  if (impl_->dwfl == nullptr) return;
  dwfl_report_begin(impl_->dwfl);
  for (const Module& module : impl_->modules) {
    dwfl_report_elf(impl_->dwfl, module.path.c_str(), module.path.c_str(), -1,
                    module.base, false);
  }
  dwfl_report_end(impl_->dwfl, nullptr, nullptr);
}

Symbolizer::~Symbolizer() {
  if (impl_->dwfl != nullptr) dwfl_end(impl_->dwfl);
}

Frame Symbolizer::Resolve(uint64_t address) {
  Frame frame;
  const uint64_t call = address - 1;  // inside the call, not after it
  const Module* module = impl_->Find(call);
  if (module == nullptr) {
    frame.function = fmt::format("0x{:x}", address);
    return frame;
  }
  frame.module = LastPart(module->path);
  frame.function =
      fmt::format("{}+0x{:x}", frame.module, address - module->base);
  Dwfl_Module* known =
      impl_->dwfl == nullptr ? nullptr : dwfl_addrmodule(impl_->dwfl, call);
  if (known == nullptr) return frame;
  // Another build of the file would give wrong names.
  if (!module->build_id.empty() && BuildIdOf(known) != module->build_id) {
    return frame;
  }
  if (const char* name = dwfl_module_addrname(known, call)) {
    frame.function = Demangle(name);
  }
  if (Dwfl_Line* line = dwfl_module_getsrc(known, call)) {
    const char* file =
        dwfl_lineinfo(line, nullptr, &frame.line, nullptr, nullptr, nullptr);
    if (file != nullptr) frame.file = file;
  }
  return frame;
}

bool IsMachinery(const Frame& frame) {
  static constexpr std::array<std::string_view, 14> kModules = {
      "libinquest_collector",
      "libcuda.so",
      "libcudart.so",
      "libcupti.so",
      "libcudnn",
      "libcublas",
      "libnccl.so",
      "libc.so",
      "libpthread",
      "ld-linux",
      "libstdc++",
      "libnvidia",
      "libc10_cuda",
      "libcudadebugger"};
  for (const std::string_view module : kModules) {
    if (frame.module.compare(0, module.size(), module) == 0) return true;
  }
  return frame.module.empty();
}

}  // namespace inquest::memory
