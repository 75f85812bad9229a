// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/elf_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace inquest::doctor {
namespace {

// ld.so(8): the folder of the object itself.
std::string WithOrigin(std::string list, const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : path.substr(0, slash);
  for (const std::string name : {"${ORIGIN}", "$ORIGIN"}) {
    for (size_t at; (at = list.find(name)) != list.npos;) {
      list.replace(at, name.size(), folder);
    }
  }
  return list;
}

void ReadDynamic(Elf* elf, Elf_Scn* section, ElfFile* file) {
  GElf_Shdr header;
  Elf_Data* data = elf_getdata(section, nullptr);
  if (gelf_getshdr(section, &header) == nullptr || data == nullptr) return;
  const size_t entries =
      data->d_size / gelf_fsize(elf, ELF_T_DYN, 1, EV_CURRENT);
  for (size_t i = 0; i < entries; ++i) {
    GElf_Dyn entry;
    if (gelf_getdyn(data, static_cast<int>(i), &entry) == nullptr) return;
    if (entry.d_tag == DT_NULL) return;
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RPATH &&
        entry.d_tag != DT_RUNPATH) {
      continue;
    }
    const char* text = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
    if (text == nullptr) continue;
    if (entry.d_tag == DT_NEEDED) file->needed.emplace_back(text);
    if (entry.d_tag == DT_RPATH) file->rpath = WithOrigin(text, file->path);
    if (entry.d_tag == DT_RUNPATH) file->runpath = WithOrigin(text, file->path);
  }
}

// An opened file; null if it is not an ELF file.
class Opened {
 public:
  explicit Opened(const std::string& path) {
    elf_version(EV_CURRENT);
    fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd_ >= 0) elf_ = elf_begin(fd_, ELF_C_READ_MMAP, nullptr);
    if (elf_ != nullptr && elf_kind(elf_) != ELF_K_ELF) {
      elf_end(elf_);
      elf_ = nullptr;
    }
  }
  ~Opened() {
    if (elf_ != nullptr) elf_end(elf_);
    if (fd_ >= 0) close(fd_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  Elf* get() const { return elf_; }
  // Calls `use` with each section of this type.
  template <typename Use>
  void ForEach(uint32_t type, Use&& use) const {
    Elf_Scn* section = nullptr;
    while (elf_ != nullptr &&
           (section = elf_nextscn(elf_, section)) != nullptr) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr) continue;
      if (header.sh_type == type) use(section, header);
    }
  }

 private:
  int fd_ = -1;
  Elf* elf_ = nullptr;
};

// The symbol's first bytes in the file; none if it has none there.
std::optional<uint64_t> DataOf(Elf* elf, const GElf_Sym& symbol) {
  Elf_Scn* section = elf_getscn(elf, symbol.st_shndx);
  GElf_Shdr header;
  if (section == nullptr || gelf_getshdr(section, &header) == nullptr ||
      header.sh_type == SHT_NOBITS) {
    return {};
  }
  const Elf_Data* data = elf_getdata(section, nullptr);
  const uint64_t at = symbol.st_value - header.sh_addr;
  uint64_t number = 0;
  if (data == nullptr || data->d_buf == nullptr || data->d_size < at ||
      data->d_size - at < sizeof number) {
    return {};
  }
  memcpy(&number, static_cast<const char*>(data->d_buf) + at, sizeof number);
  return number;
}

}  // namespace

ElfFile ReadElf(const std::string& path) {
  ElfFile file;
  file.path = path;
  const Opened opened(path);
  file.readable = opened.get() != nullptr;
  opened.ForEach(SHT_DYNAMIC, [&](Elf_Scn* section, const GElf_Shdr&) {
    ReadDynamic(opened.get(), section, &file);
  });
  // With DT_RUNPATH the linker ignores DT_RPATH.
  if (!file.runpath.empty()) file.rpath.clear();
  return file;
}

std::optional<uint64_t> ReadExported(const std::string& path,
                                     std::initializer_list<const char*> names) {
  const Opened opened(path);
  std::optional<uint64_t> found;
  opened.ForEach(SHT_DYNSYM, [&](Elf_Scn* section, const GElf_Shdr& header) {
    Elf_Data* data = elf_getdata(section, nullptr);
    GElf_Sym symbol;
    for (int i = 0; data != nullptr && gelf_getsym(data, i, &symbol) != nullptr;
         ++i) {
      const char* name =
          elf_strptr(opened.get(), header.sh_link, symbol.st_name);
      const bool wanted =
          name != nullptr && symbol.st_shndx != SHN_UNDEF &&
          std::any_of(names.begin(), names.end(), [&](const char* one) {
            return std::strcmp(one, name) == 0;
          });
      if (wanted && !found) found = DataOf(opened.get(), symbol);
    }
  });
  return found;
}

}  // namespace inquest::doctor
