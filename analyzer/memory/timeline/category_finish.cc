// SPDX-License-Identifier: Apache-2.0
// The end of a CategoryKeeper: what lived to the end or lasted, and the names.
#include <algorithm>

#include "analyzer/memory/timeline/category_keeper.h"
#include "base/capped.h"

namespace inquest::memory {

void CategoryKeeper::AddLive(Of* of, const trace::Heap& heap) {
  heap.blocks().Visit([&](uint64_t address, const trace::Block& block) {
    if (!trace::IsOfSites(block.kind)) return;
    const Life life = LifeOf(block, {});
    const Lasting one = {address, block.bytes, block.stack, block.event,
                         EventBins::kNever};
    const size_t group = life == Life::kLasting
                             ? Named(of, CategoryOf(*of, one))
                             : GroupOf(of, block, life);
    of->bins.Add(group, block.bytes, block.event, EventBins::kNever);
  });
}

// Groups by the name of what they are for. What is of a step is known as such
// where steps are, or where it is younger than a record that began late.
std::map<std::string, std::vector<size_t>> CategoryKeeper::GroupsByName(
    const Of& of) const {
  const bool known = step_end_ >= 0 || before_ > 0;
  const std::string unnamed = known ? "activations or workspace" : kUntold;
  std::map<std::string, std::vector<size_t>> groups;
  for (const auto& [name, group] : of.by_name) {
    groups[name.empty() ? unnamed : name].push_back(group);
  }
  for (const auto& [key, group] : of.by_size) {
    const auto& [bytes, life] = key;
    std::string name =
        of.lasting_sizes.contains(bytes) ? "gradients" : NameOf({}, life);
    groups[name.empty() ? unnamed : name].push_back(group);
  }
  return groups;
}

CategoryLine CategoryKeeper::LineOf(const Of& of) const {
  CategoryLine line;
  const auto& bins = of.bins.bins();
  std::vector<CategoryMoment> moments(bins.size());
  for (const auto& [name, groups] : GroupsByName(of)) {
    line.names.push_back(name);
    std::vector<int64_t> high(bins.size()), last(bins.size());
    for (const size_t group : groups) {
      of.bins.AddTo(group, &high, &last);
    }
    for (size_t i = 0; i < bins.size(); ++i) {
      moments[i].high.push_back(high[i]);
      moments[i].last.push_back(last[i]);
    }
  }
  for (size_t i = 0; i < bins.size(); ++i) {
    moments[i].begin = bins[i].begin;
    moments[i].end = bins[i].end;
    if (!bins[i].empty()) line.moments.push_back(std::move(moments[i]));
  }
  return line;
}

std::map<int, CategoryLine> CategoryKeeper::Finish(
    const std::map<int, trace::DeviceState>& devices) {
  Flush();
  std::map<int, CategoryLine> lines;
  for (auto& [layer, of] : layers_) {  // a pool comes after its device
    const auto device = devices.find(layer.device);
    if (device == devices.end()) continue;
    const trace::DeviceState& state = device->second;
    of.bins.Finish();
    for (const Lasting& one : of.lasting) {
      of.bins.Add(Named(&of, CategoryOf(of, one)), one.bytes, one.made,
                  one.freed);
    }
    if (layer.of_pool) {
      AddLive(&of, state.framework);
    } else {
      AddLive(&of, state.device);
      AddLive(&of, state.handles);
    }
    CategoryLine line = LineOf(of);
    line.of_pool = layer.of_pool;
    line.Judge(step_end_ >= 0);
    lines[layer.device] = std::move(line);
  }
  return lines;
}

}  // namespace inquest::memory
