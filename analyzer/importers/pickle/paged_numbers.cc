// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/pickle/paged_numbers.h"

#include <unistd.h>

#include <algorithm>

namespace inquest::importers {

bool PagedNumbers::Store(uint64_t page) {
  if (file_ == nullptr) file_.reset(std::tmpfile());
  if (file_ == nullptr) return false;
  constexpr size_t kBytes = sizeof(Numbers);
  const ssize_t wrote =
      pwrite(fileno(file_.get()), pages_[page].numbers->data(), kBytes,
             static_cast<off_t>(page * kBytes));
  pages_[page].stored = wrote == static_cast<ssize_t>(kBytes);
  return pages_[page].stored;
}

// The memory of the page that was not used for longest; null if it cannot be
// stored.
std::unique_ptr<PagedNumbers::Numbers> PagedNumbers::TakeColdest() {
  const auto coldest = std::min_element(
      hot_.begin(), hot_.end(), [this](uint64_t a, uint64_t b) {
        return pages_[a].used < pages_[b].used;
      });
  if (!Store(*coldest)) return nullptr;
  auto numbers = std::move(pages_[*coldest].numbers);
  hot_.erase(coldest);
  return numbers;
}

bool PagedNumbers::Load(uint64_t page) {
  auto numbers =
      hot_.size() < kHotPages ? std::make_unique<Numbers>() : TakeColdest();
  if (!numbers) return false;
  constexpr size_t kBytes = sizeof(Numbers);
  if (!pages_[page].stored) {
    numbers->fill(kNothing);
  } else if (pread(fileno(file_.get()), numbers->data(), kBytes,
                   static_cast<off_t>(page * kBytes)) !=
             static_cast<ssize_t>(kBytes)) {
    return false;
  }
  pages_[page].numbers = std::move(numbers);
  hot_.push_back(page);
  return true;
}

}  // namespace inquest::importers
