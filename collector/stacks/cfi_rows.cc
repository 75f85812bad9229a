// SPDX-License-Identifier: Apache-2.0
#include "collector/stacks/cfi_rows.h"

#include <cstddef>
#include <cstring>

#include "collector/stacks/cfi_cursor.h"

namespace inquest::collector {
namespace {

constexpr int kDeepest = 4;  // remembered states

struct Common {  // of a CIE
  uint64_t code_unit = 1;
  int64_t data_unit = 1;
  bool usable = false;
  Cursor instructions{nullptr, nullptr};
};

bool ReadAugmentation(const char* letters, Cursor* in) {
  if (*letters++ != 'z') return *(letters - 1) == '\0';
  const uint64_t size = in->Unsigned();
  Cursor data(in->at(), in->at() + (in->Has(size) ? size : 0));
  in->Skip(size);
  for (; *letters != '\0'; ++letters) {
    if (*letters == 'R') {
      if (data.Take<uint8_t>() != kPcRelative4) return false;
    } else if (*letters == 'L') {
      data.Skip(1);
    } else if (*letters == 'P') {
      const uint8_t encoding = data.Take<uint8_t>() & 0x0f;
      if (encoding != kSigned4 && encoding != kUnsigned4) return false;
      data.Skip(4);
    } else {
      return false;  // 'S': a signal's frame
    }
  }
  return data.ok() && in->ok();
}

Common ReadCommon(const uint8_t* at) {
  Common common;
  Cursor in = Entry(at);
  const auto id = in.Take<uint32_t>();
  const auto version = in.Take<uint8_t>();
  if (!in.ok() || id != 0 || (version != 1 && version != 3)) return common;
  const auto* letters = reinterpret_cast<const char*>(in.at());
  const size_t room = static_cast<size_t>(in.end() - in.at());
  const size_t size = strnlen(letters, room);
  in.Skip(size + 1);
  common.code_unit = in.Unsigned();
  common.data_unit = in.Signed();
  const uint64_t return_address =
      version == 1 ? in.Take<uint8_t>() : in.Unsigned();
  common.usable = in.ok() && return_address == kDwarfReturnAddress &&
                  ReadAugmentation(letters, &in);
  common.instructions = in;
  return common;
}

// Runs instructions up to the row that holds `place`.
class Machine {
 public:
  Machine(const Common& common, uintptr_t begin, uintptr_t place)
      : common_(common), at_(begin), place_(place) {}

  void Run(Cursor in) {
    while (!in.AtEnd() && !row_.odd && at_ <= place_) Step(&in);
    if (!in.ok()) row_.odd = true;
  }
  void KeepInitial() { initial_ = row_; }
  const CfiRow& row() const { return row_; }

 private:
  void Step(Cursor* in) {
    const auto code = in->Take<uint8_t>();
    const uint64_t low = code & 0x3f;
    switch (code >> 6) {
      case 1:
        return Advance(low);
      case 2:
        return SavedAt(low, static_cast<int64_t>(in->Unsigned()));
      case 3:
        return Restore(low);
      default:
        Extended(code, in);
    }
  }
  void Extended(uint8_t code, Cursor* in);
  void Location(uint8_t code, Cursor* in);
  void Cfa(uint64_t reg, int64_t offset) {
    row_.cfa_register = reg;
    row_.cfa_offset = offset;
    row_.has_cfa = true;
  }
  // Instructions after the place do not apply to it.
  void Advance(uint64_t units) { at_ += units * common_.code_unit; }
  void SavedAt(uint64_t reg, int64_t units) {
    const int64_t offset = units * common_.data_unit;
    if (reg == kDwarfRbp) row_.saves_rbp = true, row_.rbp_offset = offset;
    if (reg == kDwarfReturnAddress) row_.return_offset = offset;
  }
  void Restore(uint64_t reg) {
    if (reg == kDwarfRbp) {
      row_.saves_rbp = initial_.saves_rbp;
      row_.rbp_offset = initial_.rbp_offset;
    }
    if (reg == kDwarfReturnAddress) row_.return_offset = initial_.return_offset;
  }
  void MarkOddIfSaved(uint64_t reg) {
    if (reg == kDwarfRbp || reg == kDwarfReturnAddress) row_.odd = true;
  }
  void Undefined(uint64_t reg) {
    if (reg == kDwarfReturnAddress) row_.outermost = true;
  }
  void RememberRow() {
    if (depth_ == kDeepest) {
      row_.odd = true;
    } else {
      saved_[depth_++] = row_;
    }
  }
  void RecallRow() {
    if (depth_ == 0) {
      row_.odd = true;
    } else {
      row_ = saved_[--depth_];
    }
  }

  const Common& common_;
  uintptr_t at_;
  uintptr_t place_;
  CfiRow row_;
  CfiRow initial_;
  CfiRow saved_[kDeepest];
  int depth_ = 0;
};

void Machine::Extended(uint8_t code, Cursor* in) {
  switch (code) {
    case 0x00:  // nop
      return;
    case 0x02:  // advance_loc1, 2, 4
      return Advance(in->Take<uint8_t>());
    case 0x03:
      return Advance(in->Take<uint16_t>());
    case 0x04:
      return Advance(in->Take<uint32_t>());
    case 0x0a:
      return RememberRow();
    case 0x0b:
      return RecallRow();
    case 0x0d:  // def_cfa_register
      return Cfa(in->Unsigned(), row_.cfa_offset);
    case 0x0e:  // def_cfa_offset
      return Cfa(row_.cfa_register, static_cast<int64_t>(in->Unsigned()));
    case 0x0f:  // def_cfa_expression
      row_.odd = true;
      return;
    case 0x2e:  // GNU_args_size
      in->Unsigned();
      return;
    default:
      Location(code, in);
  }
}

// Instructions that begin with a register.
void Machine::Location(uint8_t code, Cursor* in) {
  const uint64_t reg = in->Unsigned();
  switch (code) {
    case 0x05:  // offset_extended
      return SavedAt(reg, static_cast<int64_t>(in->Unsigned()));
    case 0x06:  // restore_extended
      return Restore(reg);
    case 0x07:  // undefined
      return Undefined(reg);
    case 0x08:  // same_value
      return Restore(reg);
    case 0x09:  // register
      in->Unsigned();
      return MarkOddIfSaved(reg);
    case 0x0c:  // def_cfa
      return Cfa(reg, static_cast<int64_t>(in->Unsigned()));
    case 0x10:  // expression, val_expression
    case 0x16:
      in->Skip(in->Unsigned());
      return MarkOddIfSaved(reg);
    case 0x11:  // offset_extended_sf
      return SavedAt(reg, in->Signed());
    case 0x12:  // def_cfa_sf
      return Cfa(reg, in->Signed() * common_.data_unit);
    default:
      row_.odd = true;
  }
}

}  // namespace

RowFound FindCfiRow(const uint8_t* entry, uintptr_t place, CfiRow* row) {
  Cursor in = Entry(entry);
  const uint8_t* here = in.at();
  const auto distance = in.Take<uint32_t>();
  const Common common = ReadCommon(here - distance);
  const uintptr_t begin = in.PcRelative();
  const auto size = in.Take<uint32_t>();
  in.Skip(in.Unsigned());
  if (!in.ok() || !common.usable || place < begin) return RowFound::kOdd;
  if (place - begin >= size) return RowFound::kBeyond;
  Machine machine(common, begin, place);
  machine.Run(common.instructions);
  machine.KeepInitial();
  machine.Run(in);
  *row = machine.row();
  return row->odd ? RowFound::kOdd : RowFound::kYes;
}

}  // namespace inquest::collector
