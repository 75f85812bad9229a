// SPDX-License-Identifier: Apache-2.0
#include "collector/process/exported_data.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>

namespace inquest::collector {
namespace {

// The parts of the dynamic section that a lookup needs; see the System V ABI,
// "Dynamic Linking", and binutils' DT_GNU_HASH.
struct Symbols {
  const ElfW(Sym) * table = nullptr;
  const char* names = nullptr;
  const uint32_t* hash = nullptr;

  bool complete() const { return table && names && hash; }
};

struct Search {
  uintptr_t base;
  std::initializer_list<const char*> names;
  std::optional<uint64_t> number;
};

// glibc replaces the offsets by addresses in most objects, not in all.
template <typename T>
const T* At(uintptr_t base, uintptr_t where) {
  return reinterpret_cast<const T*>(where < base ? base + where : where);
}

Symbols SymbolsOf(const dl_phdr_info& info) {
  Symbols symbols;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_DYNAMIC) continue;
    const uintptr_t base = info.dlpi_addr;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(base + segment.p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      const uintptr_t where = entry->d_un.d_ptr;
      if (entry->d_tag == DT_SYMTAB) symbols.table = At<ElfW(Sym)>(base, where);
      if (entry->d_tag == DT_STRTAB) symbols.names = At<char>(base, where);
      if (entry->d_tag == DT_GNU_HASH) {
        symbols.hash = At<uint32_t>(base, where);
      }
    }
  }
  return symbols;
}

uint32_t GnuHash(const char* name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name) {
    hash = hash * 33 + static_cast<unsigned char>(*name);
  }
  return hash;
}

// Header: buckets, first hashed symbol, words of the filter, its shift; then
// the filter, the buckets and a chain whose last entry has its lowest bit set.
const ElfW(Sym) * Find(const Symbols& symbols, const char* name) {
  const uint32_t buckets = symbols.hash[0];
  const uint32_t first = symbols.hash[1];
  const uint32_t filter_words = symbols.hash[2];
  if (buckets == 0) return nullptr;
  const uint32_t* bucket =
      symbols.hash + 4 + filter_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
  const uint32_t* chain = bucket + buckets;
  const uint32_t hash = GnuHash(name);
  uint32_t index = bucket[hash % buckets];
  if (index < first) return nullptr;
  for (;; ++index) {
    const uint32_t entry = chain[index - first];
    const ElfW(Sym)& symbol = symbols.table[index];
    if ((entry | 1) == (hash | 1) &&
        std::strcmp(symbols.names + symbol.st_name, name) == 0) {
      return &symbol;
    }
    if ((entry & 1) != 0) return nullptr;
  }
}

bool HoldsNumber(const ElfW(Sym) & symbol) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT &&
         symbol.st_shndx != SHN_UNDEF && symbol.st_size >= sizeof(uint32_t);
}

// The linker keeps the object mapped while it calls this.
int FindDataInObject(dl_phdr_info* info, size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  if (info->dlpi_addr != search->base) return 0;
  const Symbols symbols = SymbolsOf(*info);
  for (const char* name : search->names) {
    const ElfW(Sym)* symbol =
        symbols.complete() ? Find(symbols, name) : nullptr;
    if (symbol == nullptr || !HoldsNumber(*symbol)) continue;
    uint64_t number = 0;
    std::memcpy(&number,
                reinterpret_cast<const void*>(search->base + symbol->st_value),
                std::min<size_t>(sizeof number, symbol->st_size));
    search->number = number;
    break;
  }
  return 1;
}

}  // namespace

std::optional<uint64_t> ExportedNumber(
    uintptr_t base, std::initializer_list<const char*> names) {
  Search search{base, names, {}};
  dl_iterate_phdr(FindDataInObject, &search);
  return search.number;
}

}  // namespace inquest::collector
