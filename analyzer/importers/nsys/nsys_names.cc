// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/nsys/nsys_names.h"

#include <re2/re2.h>

namespace inquest::importers {

trace::MemoryKind MemoryKindOf(int64_t kind, bool in_pool) {
  using trace::MemoryKind;
  switch (kind) {
    case 0:  // pageable
    case 1:  // pinned
      return MemoryKind::kHost;
    case 3:
      return MemoryKind::kArray;
    case 4:
    case 6:  // static
      return MemoryKind::kManaged;
    default:
      return in_pool ? MemoryKind::kAsync : MemoryKind::kDevice;
  }
}

std::string FunctionName(const std::string& name) {
  static const auto* pattern = new RE2("^(.+?)(?:_pt[sd][sz])?(?:_v\\d{4,})?$");
  std::string function;
  RE2::FullMatch(name, *pattern, &function);
  return function.empty() ? name : function;
}

bool IsRuntimeFunction(std::string_view function) {
  return function.starts_with("cuda");
}

bool IsAllocation(std::string_view function) {
  for (const char* part :
       {"Malloc", "MemAlloc", "HostAlloc", "ArrayCreate", "cuMemCreate"}) {
    if (function.find(part) != function.npos) return true;
  }
  return false;
}

bool IsOfHostMemory(std::string_view function) {
  return function.find("Host") != function.npos;
}

}  // namespace inquest::importers
