// SPDX-License-Identifier: Apache-2.0
#include "trace/records/event.h"

namespace inquest::trace {
namespace {

template <typename Enum, size_t kCount>
std::string_view NameIn(const Named<Enum> (&table)[kCount], Enum value) {
  const auto number = static_cast<size_t>(value);
  return number >= 1 && number <= kCount ? table[number - 1].name : "unknown";
}

}  // namespace

std::string_view MemoryOpName(MemoryOp op) {
  return NameIn(kMemoryOps, op);
}

std::string_view MemoryKindName(MemoryKind kind) {
  return NameIn(kMemoryKinds, kind);
}

}  // namespace inquest::trace
