// SPDX-License-Identifier: Apache-2.0
#include "driver/address.h"

#include <map>
#include <shared_mutex>

namespace simgpu::driver {
namespace {

std::shared_mutex g_address_mutex;

std::map<uint64_t, Place>& Places() {
  static auto* places = new std::map<uint64_t, Place>;
  return *places;
}

}  // namespace

Place Locate(uint64_t address) {
  if (Device* device = DeviceOf(address)) {
    const auto block = device->Find(address);
    if (!block) return {};
    return {Kind::kDevice, *block, device, 0};
  }
  const std::shared_lock lock(g_address_mutex);
  auto found = Places().upper_bound(address);
  if (found == Places().begin()) return {};
  --found;
  return address < found->second.range.end() ? found->second : Place{};
}

void AddPlace(const Place& place) {
  const std::unique_lock lock(g_address_mutex);
  Places()[place.range.address] = place;
}

std::optional<Place> RemovePlace(uint64_t address, Kind kind) {
  const std::unique_lock lock(g_address_mutex);
  const auto found = Places().find(address);
  if (found == Places().end() || found->second.kind != kind) {
    return std::nullopt;
  }
  const Place place = found->second;
  Places().erase(found);
  return place;
}

}  // namespace simgpu::driver
