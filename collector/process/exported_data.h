// SPDX-License-Identifier: Apache-2.0
// Reads data that a loaded object exports, through its own symbol table: no
// call into the object and no lock that its constructors hold, so it works
// while the process exits. Any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace inquest::collector {

// The first of `names` that the object loaded at `base` defines as data of four
// bytes or more, as a number: its first eight bytes, lowest first. Only the
// object's own symbols count, not those of its dependencies.
std::optional<uint64_t> ExportedNumber(
    uintptr_t base, std::initializer_list<const char*> names);

}  // namespace inquest::collector
