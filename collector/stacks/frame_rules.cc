// SPDX-License-Identifier: Apache-2.0
#include "collector/stacks/frame_rules.h"

#include <link.h>

#include <cstddef>

#include "collector/stacks/cfi_cursor.h"
#include "collector/stacks/cfi_rows.h"

namespace inquest::collector {
namespace {

FrameRule ToRule(const CfiRow& row) {
  FrameRule rule;
  rule.outermost = row.outermost;
  rule.from_rbp = row.cfa_register == kDwarfRbp;
  rule.saves_rbp = row.saves_rbp;
  rule.cfa_offset = static_cast<int32_t>(row.cfa_offset);
  rule.rbp_offset = static_cast<int32_t>(row.rbp_offset);
  const bool ordinary =
      row.has_cfa && row.return_offset == -8 &&
      (row.cfa_register == kDwarfRsp || row.cfa_register == kDwarfRbp) &&
      rule.cfa_offset == row.cfa_offset && rule.rbp_offset == row.rbp_offset;
  rule.usable = row.outermost || ordinary;
  return rule;
}

FrameRule RuleFrom(const uint8_t* entry, uintptr_t place) {
  CfiRow row;
  FrameRule rule;
  switch (FindCfiRow(entry, place, &row)) {
    case RowFound::kYes:
      return ToRule(row);
    case RowFound::kBeyond:
      rule.usable = rule.outermost = true;
      return rule;
    case RowFound::kOdd:
      break;
  }
  return rule;
}

struct TableRow {  // of .eh_frame_hdr, sorted by begin; both from its start
  int32_t begin;
  int32_t entry;
};

FrameRule SearchTable(const uint8_t* header, const uint8_t* end,
                      uintptr_t place) {
  Cursor in(header, end);
  const auto form = in.Take<uint32_t>();
  const uint32_t usual =
      1u | kPcRelative4 << 8 | kUnsigned4 << 16 | kTableRelative4 << 24;
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

struct WantedRule {
  uintptr_t place;
  FrameRule rule;
};

int FindInObject(dl_phdr_info* info, size_t, void* argument) {
  auto* wanted = static_cast<WantedRule*>(argument);
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
    wanted->rule = SearchTable(at, at + header->p_memsz, wanted->place);
  }
  return 1;
}

int TakeUnloads(dl_phdr_info* info, size_t, void* count) {
  *static_cast<uint64_t*>(count) = info->dlpi_subs;
  return 1;
}

}  // namespace

FrameRule FindFrameRule(uintptr_t place) {
  WantedRule wanted{place, {}};
  // Code without a file, such as code compiled at run time: its callers cannot
  // be found.
  wanted.rule.usable = wanted.rule.outermost = true;
  dl_iterate_phdr(FindInObject, &wanted);
  return wanted.rule;
}

uint64_t UnloadCount() {
  uint64_t count = 0;
  dl_iterate_phdr(TakeUnloads, &count);
  return count;
}

}  // namespace inquest::collector
