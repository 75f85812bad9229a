#include "collector/frame_rules.h"

#include <link.h>

#include <cstddef>
#include <cstring>

namespace inquest::collector {
namespace {

constexpr uint64_t kRbp = 6;  // DWARF's numbers, System V ABI for x86-64
constexpr uint64_t kRsp = 7;
constexpr uint64_t kReturnAddress = 16;
constexpr int kDeepest = 4;  // remembered states

// The encodings that linkers and compilers use here.
constexpr uint8_t kPcRelative4 = 0x1b;
constexpr uint8_t kUnsigned4 = 0x03;
constexpr uint8_t kTableRelative4 = 0x3b;

// Reads on, and goes no further than `end`.
class Cursor {
 public:
  Cursor(const uint8_t* at, const uint8_t* end) : at_(at), end_(end) {}

  template <typename T>
  T Take() {
    T value{};
    if (!Has(sizeof value)) return value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  uint64_t Unsigned() {
    uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      const auto byte = Take<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  int64_t Signed() {
    uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      const auto byte = Take<uint8_t>();
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte >= 0x80) continue;
      if ((byte & 0x40) != 0) value |= ~uint64_t{0} << (shift + 7);
      break;
    }
    return static_cast<int64_t>(value);
  }
  // A signed 32-bit distance from where it stands.
  uintptr_t PcRelative() {
    const auto here = reinterpret_cast<uintptr_t>(at_);
    return here + static_cast<uintptr_t>(intptr_t{Take<int32_t>()});
  }
  void Skip(uint64_t size) {
    if (Has(size)) at_ += size;
  }
  bool Has(uint64_t size) {
    ok_ = ok_ && size <= static_cast<uint64_t>(end_ - at_);
    return ok_;
  }
  bool AtEnd() const { return !ok_ || at_ == end_; }
  bool ok() const { return ok_; }
  const uint8_t* at() const { return at_; }
  const uint8_t* end() const { return end_; }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  bool ok_ = true;
};

// A length and as many bytes; nothing for the 64-bit form.
Cursor Entry(const uint8_t* at) {
  uint32_t length = 0;
  std::memcpy(&length, at, sizeof length);
  const uint8_t* begin = at + sizeof length;
  return {begin, length == UINT32_MAX ? begin : begin + length};
}

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
      if (encoding != 0x0b && encoding != kUnsigned4) return false;
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
  common.usable = in.ok() && return_address == kReturnAddress &&
                  ReadAugmentation(letters, &in);
  common.instructions = in;
  return common;
}

struct Row {
  uint64_t cfa_register = kRsp;
  int64_t cfa_offset = 0;
  bool has_cfa = false;
  bool saves_rbp = false;
  int64_t rbp_offset = 0;
  int64_t return_offset = 0;
  bool outermost = false;
  bool odd = false;  // something that a FrameRule cannot say
};

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
  const Row& row() const { return row_; }

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
  // What stands after the place does not concern it.
  void Advance(uint64_t units) { at_ += units * common_.code_unit; }
  void SavedAt(uint64_t reg, int64_t units) {
    const int64_t offset = units * common_.data_unit;
    if (reg == kRbp) row_.saves_rbp = true, row_.rbp_offset = offset;
    if (reg == kReturnAddress) row_.return_offset = offset;
  }
  void Restore(uint64_t reg) {
    if (reg == kRbp) {
      row_.saves_rbp = initial_.saves_rbp;
      row_.rbp_offset = initial_.rbp_offset;
    }
    if (reg == kReturnAddress) row_.return_offset = initial_.return_offset;
  }
  void OddIfOurs(uint64_t reg) {
    if (reg == kRbp || reg == kReturnAddress) row_.odd = true;
  }
  void Undefined(uint64_t reg) {
    if (reg == kReturnAddress) row_.outermost = true;
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
  Row row_;
  Row initial_;
  Row saved_[kDeepest];
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
      return OddIfOurs(reg);
    case 0x0c:  // def_cfa
      return Cfa(reg, static_cast<int64_t>(in->Unsigned()));
    case 0x10:  // expression, val_expression
    case 0x16:
      in->Skip(in->Unsigned());
      return OddIfOurs(reg);
    case 0x11:  // offset_extended_sf
      return SavedAt(reg, in->Signed());
    case 0x12:  // def_cfa_sf
      return Cfa(reg, in->Signed() * common_.data_unit);
    default:
      row_.odd = true;
  }
}

FrameRule ToRule(const Row& row) {
  FrameRule rule;
  rule.outermost = row.outermost;
  rule.from_rbp = row.cfa_register == kRbp;
  rule.saves_rbp = row.saves_rbp;
  rule.cfa_offset = static_cast<int32_t>(row.cfa_offset);
  rule.rbp_offset = static_cast<int32_t>(row.rbp_offset);
  const bool ordinary =
      row.has_cfa && row.return_offset == -8 &&
      (row.cfa_register == kRsp || row.cfa_register == kRbp) &&
      rule.cfa_offset == row.cfa_offset && rule.rbp_offset == row.rbp_offset;
  rule.usable = !row.odd && (row.outermost || ordinary);
  return rule;
}

// From the entry (FDE) that begins at or before the place.
FrameRule RuleFrom(const uint8_t* entry, uintptr_t place) {
  Cursor in = Entry(entry);
  const uint8_t* here = in.at();
  const auto distance = in.Take<uint32_t>();
  const Common common = ReadCommon(here - distance);
  const uintptr_t begin = in.PcRelative();
  const auto size = in.Take<uint32_t>();
  in.Skip(in.Unsigned());
  if (!in.ok() || !common.usable || place < begin) return {};
  FrameRule none;
  none.usable = none.outermost = true;
  if (place - begin >= size) return none;
  Machine machine(common, begin, place);
  machine.Run(common.instructions);
  machine.KeepInitial();
  machine.Run(in);
  return ToRule(machine.row());
}

struct TableRow {  // of .eh_frame_hdr, sorted by begin; both from its start
  int32_t begin;
  int32_t entry;
};

FrameRule Search(const uint8_t* header, const uint8_t* end, uintptr_t place) {
  Cursor in(header, end);
  const auto form = in.Take<uint32_t>();
  const uint32_t usual = 1u | uint32_t{kPcRelative4} << 8 |
                         uint32_t{kUnsigned4} << 16 |
                         uint32_t{kTableRelative4} << 24;
  in.Skip(4);
  const auto count = in.Take<uint32_t>();
  if (form != usual || count == 0 || !in.Has(count * sizeof(TableRow))) {
    return {};
  }
  const auto* rows = reinterpret_cast<const TableRow*>(in.at());
  const auto wanted =
      static_cast<int64_t>(place - reinterpret_cast<uintptr_t>(header));
  size_t low = 0;
  for (size_t high = count; high - low > 1;) {
    const size_t middle = low + (high - low) / 2;
    (rows[middle].begin <= wanted ? low : high) = middle;
  }
  return RuleFrom(header + rows[low].entry, place);
}

struct Wanted {
  uintptr_t place;
  FrameRule rule;
};

int LookInto(dl_phdr_info* info, size_t, void* argument) {
  auto* wanted = static_cast<Wanted*>(argument);
  const ElfW(Phdr)* header = nullptr;
  bool inside = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME) header = &segment;
    inside = inside || (segment.p_type == PT_LOAD && wanted->place >= begin &&
                        wanted->place - begin < segment.p_memsz);
  }
  if (!inside) return 0;
  if (header != nullptr) {
    const auto* at =
        reinterpret_cast<const uint8_t*>(info->dlpi_addr + header->p_vaddr);
    wanted->rule = Search(at, at + header->p_memsz, wanted->place);
  }
  return 1;
}

int TakeUnloads(dl_phdr_info* info, size_t, void* count) {
  *static_cast<uint64_t*>(count) = info->dlpi_subs;
  return 1;
}

}  // namespace

FrameRule FindFrameRule(uintptr_t place) {
  Wanted wanted{place, {}};
  // Code of no file, as compiled at run time: its callers are not to be found.
  wanted.rule.usable = wanted.rule.outermost = true;
  dl_iterate_phdr(LookInto, &wanted);
  return wanted.rule;
}

uint64_t UnloadCount() {
  uint64_t count = 0;
  dl_iterate_phdr(TakeUnloads, &count);
  return count;
}

}  // namespace inquest::collector
