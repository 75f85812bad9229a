// SPDX-License-Identifier: Apache-2.0
// A long list of numbers of eight bytes of which few are needed at a time:
// pages that were not used lately lie in a temporary file that the system
// removes. For the memo of a pickle, which has two entries for each event of a
// history of tens of millions, and is asked again for the texts at its
// beginning and for what was just read. One thread; memory is kHotPages pages.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace inquest::importers {

class PagedNumbers {
 public:
  static constexpr uint64_t kNothing = UINT64_MAX;  // of entries never set

  uint64_t size() const { return size_; }
  // False if the file cannot be written or read back.
  bool Set(uint64_t entry, uint64_t number) {
    const uint64_t page = entry / kPage;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (!pages_[page].numbers && !Load(page)) return false;
    pages_[page].used = ++clock_;
    (*pages_[page].numbers)[entry % kPage] = number;
    if (entry >= size_) size_ = entry + 1;
    return true;
  }
  // kNothing also where it cannot be read back.
  uint64_t At(uint64_t entry) {
    if (entry >= size_) return kNothing;
    Page& page = pages_[entry / kPage];
    if (!page.numbers && !Load(entry / kPage)) return kNothing;
    page.used = ++clock_;
    return (*page.numbers)[entry % kPage];
  }

 private:
  static constexpr size_t kPage = 1 << 15;  // numbers: 256 KiB
  static constexpr size_t kHotPages = 96;   // 24 MiB
  using Numbers = std::array<uint64_t, kPage>;
  struct Page {
    std::unique_ptr<Numbers> numbers;  // null: in the file, or never set
    uint64_t used = 0;
    bool stored = false;
  };
  struct Closer {
    void operator()(FILE* file) const { std::fclose(file); }
  };

  bool Load(uint64_t page);
  std::unique_ptr<Numbers> TakeColdest();
  bool Store(uint64_t page);

  std::vector<Page> pages_;
  std::vector<uint64_t> hot_;  // pages
  std::unique_ptr<FILE, Closer> file_;
  uint64_t size_ = 0;
  uint64_t clock_ = 0;
};

}  // namespace inquest::importers
