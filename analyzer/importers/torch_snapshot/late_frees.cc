// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/torch_snapshot/late_frees.h"

namespace inquest::importers {

LateFrees::Device& LateFrees::At(int64_t device) {
  const auto index = static_cast<size_t>(device);
  if (index >= devices_.size()) devices_.resize(index + 1);
  return devices_[index];
}

void LateFrees::Next(int64_t device) {
  ++At(device).entries;
}

void LateFrees::Request(int64_t device, const PoolEvent& event, int64_t time_ns,
                        int64_t after) {
  Device& at = At(device);
  if (at.has_last && at.waiting.size() < kMaxWaiting) {
    at.waiting[at.last_address] = at.last;
  }
  at.has_last = true;
  at.last_address = event.address;
  at.last = {at.entries, time_ns, after, event.bytes, event.stack};
}

void LateFrees::Complete(int64_t device, uint64_t address, int64_t time_ns,
                         int64_t free) {
  Device& at = At(device);
  if (at.has_last && at.last_address == address) {
    at.has_last = false;
    const bool at_once = at.last.entry + 1 == at.entries;
    if (!at_once) Write(device, address, at.last, time_ns, free);
    return;
  }
  const auto found = at.waiting.find(address);
  // A history is a ring, which may begin between request and completion.
  if (found == at.waiting.end()) return;
  Write(device, address, found->second, time_ns, free);
  at.waiting.erase(found);
}

void LateFrees::Write(int64_t device, uint64_t address, const Waiting& one,
                      std::optional<int64_t> completed_ns,
                      std::optional<int64_t> free) {
  file_->AddRow("late_free", ++id_, device, address, one.bytes, one.time_ns,
                one.after, completed_ns, free, one.stack);
}

void LateFrees::Finish() {
  for (size_t i = 0; i < devices_.size(); ++i) {
    const Device& at = devices_[i];
    const auto device = static_cast<int64_t>(i);
    for (const auto& [address, one] : at.waiting) {
      Write(device, address, one, {}, {});
    }
    // The history may end between the request and the completion of the last
    // free.
    if (at.has_last && at.last.entry < at.entries) {
      Write(device, at.last_address, at.last, {}, {});
    }
  }
}

}  // namespace inquest::importers
