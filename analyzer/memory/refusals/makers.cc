// SPDX-License-Identifier: Apache-2.0
#include "analyzer/memory/refusals/makers.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace inquest::memory {
namespace {

std::string PlaceIn(const Frame& frame) {
  return frame.function + '|' + frame.file + '|' + std::to_string(frame.line);
}

// How a stack comes from a cell's code to the allocator.
struct CellPlace {
  std::string way;   // places in libraries, then the cells' functions
  std::string file;  // of the innermost cell
  int line = 0;
};

class Origins {
 public:
  Origins(const std::vector<Site>& sites, const AllFrames& frames)
      : sites_(sites), frames_(frames) {}

  void Note(const HeldBlock& one) {
    if (const CellPlace* place = PlaceOf(one)) {
      lines_[{place->way, place->file}].insert(place->line);
    }
  }
  // After the last Note.
  Origin Of(const HeldBlock& one) {
    const CellPlace* place = PlaceOf(one);
    if (place == nullptr) {
      const size_t maker = Number(PlaceIn(sites_[one.site].frames.front()));
      return {maker, one.site};
    }
    const std::set<int>& lines = lines_[{place->way, place->file}];
    const auto before = std::distance(lines.begin(), lines.find(place->line));
    const size_t maker =
        Number("cell|" + std::to_string(before) + '|' + place->way);
    return {maker, sites_.size() + maker};
  }

 private:
  size_t Number(const std::string& place) {
    return numbers_.try_emplace(place, numbers_.size()).first->second;
  }

  // Null if it is not of a cell, or nothing but the cell tells what it is.
  const CellPlace* PlaceOf(const HeldBlock& one) {
    if (!frames_ || !IsNotebookCell(sites_[one.site].frames.front().file)) {
      return nullptr;
    }
    const auto [known, is_new] = places_.try_emplace(one.stack);
    if (is_new) known->second = Read(frames_(one.stack));
    return known->second ? &*known->second : nullptr;
  }

  static std::optional<CellPlace> Read(const std::vector<Frame>& frames) {
    CellPlace place;
    bool named = false;
    for (const Frame& frame : frames) {
      const bool cell = IsNotebookCell(frame.file);
      if (!cell && !place.file.empty()) break;
      if (cell && place.file.empty()) {
        place.file = frame.file;
        place.line = frame.line;
      }
      named |= !cell || frame.function != "<module>";
      place.way += (cell ? frame.function : PlaceIn(frame)) + ';';
    }
    if (place.file.empty() || !named) return {};
    return place;
  }

  const std::vector<Site>& sites_;
  const AllFrames& frames_;
  std::map<int64_t, std::optional<CellPlace>> places_;  // by stack
  std::map<std::pair<std::string, std::string>, std::set<int>> lines_;
  std::map<std::string, size_t> numbers_;
};

}  // namespace

bool IsNotebookCell(std::string_view file) {
  return file.starts_with("<ipython-input-") ||
         file.find("/ipykernel_") != file.npos ||
         file.find("\\ipykernel_") != file.npos;
}

std::vector<Origin> OriginsOf(const std::vector<HeldBlock>& blocks,
                              const std::vector<Site>& sites,
                              const AllFrames& frames) {
  Origins origins(sites, frames);
  for (const HeldBlock& one : blocks) origins.Note(one);
  std::vector<Origin> all;
  all.reserve(blocks.size());
  for (const HeldBlock& one : blocks) all.push_back(origins.Of(one));
  return all;
}

}  // namespace inquest::memory
