// SPDX-License-Identifier: Apache-2.0
// A function's call frame information at one place of its code: where the
// caller's registers are. Interprets the entries of .eh_frame according to
// DWARF 5, section 6.4, and the Linux Standard Base ("Exception Frames").
// Allocates nothing, reads mapped files only. Any thread.
#pragma once

#include <cstdint>

namespace inquest::collector {

// DWARF's numbers of registers: System V ABI for x86-64, figure 3.36.
inline constexpr uint64_t kDwarfRbp = 6;
inline constexpr uint64_t kDwarfRsp = 7;
inline constexpr uint64_t kDwarfReturnAddress = 16;

// Encodings of pointers that compilers and linkers use (DW_EH_PE_…).
inline constexpr uint8_t kPcRelative4 = 0x1b;
inline constexpr uint8_t kUnsigned4 = 0x03;
inline constexpr uint8_t kSigned4 = 0x0b;
inline constexpr uint8_t kTableRelative4 = 0x3b;

// Offsets are bytes; those of saved registers count from the CFA.
struct CfiRow {
  uint64_t cfa_register = kDwarfRsp;
  int64_t cfa_offset = 0;
  bool has_cfa = false;
  bool saves_rbp = false;
  int64_t rbp_offset = 0;
  int64_t return_offset = 0;
  bool outermost = false;
  bool odd = false;  // something that a FrameRule cannot express
};

enum class RowFound {
  kYes,
  kBeyond,  // the entry's function ends before the place
  kOdd,     // an unsupported form
};
// From the entry (FDE) that begins at or before the place.
RowFound FindCfiRow(const uint8_t* entry, uintptr_t place, CfiRow* row);

}  // namespace inquest::collector
