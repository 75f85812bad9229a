// SPDX-License-Identifier: Apache-2.0
// A run's use of device memory as JSON: the key "summary" of a report.
#include <nlohmann/json.hpp>

#include "analyzer/report/json_values.h"
#include "analyzer/report/summary.h"

namespace inquest::report {
namespace {

using nlohmann::json;

json PeaksJson(const std::vector<PeakSummary>& peaks) {
  json all = json::array();
  for (const PeakSummary& peak : peaks) {
    json sites = json::array();
    for (const PeakSite& site : peak.sites) {
      sites.push_back({{"site", site.function},
                       {"file", site.file.empty() ? json() : json(site.file)},
                       {"line", site.line == 0 ? json() : json(site.line)},
                       {"bytes", site.bytes},
                       {"blocks", site.blocks}});
    }
    json sizes = json::array();
    for (const PeakSize& size : peak.sizes) {
      sizes.push_back({{"least_bytes", size.least_bytes},
                       {"bytes", size.bytes},
                       {"blocks", size.blocks}});
    }
    json categories = json::array();
    for (const PeakCategory& one : peak.categories) {
      categories.push_back({{"category", one.category},
                            {"blocks", one.blocks},
                            {"bytes", one.bytes},
                            {"told_by", one.told_by}});
    }
    all.push_back({{"process", peak.process},
                   {"device", peak.device},
                   {"layer", peak.layer},
                   {"categories", categories},
                   {"steps_are_guessed", peak.steps_are_guessed},
                   {"at", peak.at},
                   {"bytes", peak.bytes},
                   {"blocks", peak.blocks},
                   {"persistent_bytes", OrNull(peak.persistent_bytes)},
                   {"step_bytes", OrNull(peak.step_bytes)},
                   {"transient_bytes", OrNull(peak.transient_bytes)},
                   {"carried_bytes", OrNull(peak.carried_bytes)},
                   {"waiting_bytes", peak.waiting_bytes},
                   {"sites", sites},
                   {"sizes", sizes}});
  }
  return all;
}

json ShortLivedJson(const std::vector<ShortLivedSite>& sites) {
  json all = json::array();
  for (const ShortLivedSite& site : sites) {
    all.push_back({{"process", site.process},
                   {"device", site.device},
                   {"site", site.function},
                   {"blocks", site.blocks},
                   {"per_step", site.per_step},
                   {"bytes", site.bytes},
                   {"mean_life_ns", site.time},
                   {"by_driver", site.by_driver}});
  }
  return all;
}

json FaultsJson(const std::vector<FaultSummary>& faults) {
  json all = json::array();
  for (const FaultSummary& fault : faults) {
    all.push_back({{"process", fault.process},
                   {"device", fault.device},
                   {"kind", fault.kind},
                   {"count", fault.count},
                   {"first_event", fault.first_event}});
  }
  return all;
}

json HostJson(const Summary& summary, HostMemory kind) {
  json host = json::array();
  for (const DeviceSummary& one : summary.host) {
    if (one.host_memory != kind) continue;
    host.push_back({{"process", one.process},
                    {"allocations", one.allocations},
                    {"frees", one.frees},
                    {"failed", one.failed},
                    {"peak_bytes", one.peak_bytes},
                    {"peak_time", one.peak_time},
                    {"live_bytes_at_end", one.live_bytes}});
  }
  return host;
}

}  // namespace

json SummaryJson(const Summary& summary) {
  json devices = json::array();
  for (const DeviceSummary& device : summary.devices) {
    devices.push_back({{"process", device.process},
                       {"device", device.device},
                       {"allocations", device.allocations},
                       {"frees", device.frees},
                       {"failed", device.failed},
                       {"peak_bytes", device.peak_bytes},
                       {"peak_time", device.peak_time},
                       {"live_bytes_at_end", device.live_bytes},
                       {"capacity_bytes", OrNull(device.capacity_bytes)}});
    if (device.one_moment) devices.back()["one_moment"] = true;
    if (device.only_since_profile) {
      devices.back()["only_since_profile"] = true;
    }
    if (!device.name.empty()) devices.back()["name"] = device.name;
    if (!device.path.empty()) devices.back()["path"] = device.path;
    if (device.before_bytes) {
      devices.back()["live_bytes_before"] = *device.before_bytes;
    }
    if (device.allocated_bytes) {
      devices.back()["allocated_peak_bytes"] = *device.allocated_peak_bytes;
      devices.back()["allocated_bytes_at_end"] = *device.allocated_bytes;
    }
    if (!device.reserved_bytes) continue;
    devices.back()["reserved_peak_bytes"] = *device.reserved_peak_bytes;
    devices.back()["reserved_bytes_at_end"] = *device.reserved_bytes;
  }
  json outside = json::array();
  for (const OutsidePool& one : summary.outside) {
    outside.push_back({{"process", one.process},
                       {"device", one.device},
                       {"bytes", one.bytes},
                       {"own_bytes", one.own_bytes},
                       {"other_bytes", one.other_bytes},
                       {"remainder_bytes", one.remainder_bytes}});
  }
  json unjudged = json::array();
  for (const UnjudgedLeaks& one : summary.unjudged_leaks) {
    unjudged.push_back({{"process", one.process}, {"why", one.why}});
  }
  return {{"devices", devices},
          {"leaks_not_judged", unjudged},
          {"pinned_host", HostJson(summary, HostMemory::kPinned)},
          {"framework_host", HostJson(summary, HostMemory::kFramework)},
          {"executables", HostJson(summary, HostMemory::kExecutables)},
          {"outside_pool", outside},
          {"peaks", PeaksJson(summary.peaks)},
          {"short_lived", ShortLivedJson(summary.short_lived)},
          {"replay_faults", FaultsJson(summary.faults)},
          {"events", summary.events},
          {"duration_s", summary.duration_s}};
}

}  // namespace inquest::report
