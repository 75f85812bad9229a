// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/memory_text.h"

#include <algorithm>
#include <vector>

#include "analyzer/report/report_words.h"
#include "base/places.h"

namespace inquest::report {
namespace {

constexpr size_t kMaxDevices = 16;
constexpr size_t kMaxPeaks = 3;
constexpr size_t kMaxSites = 5;
constexpr size_t kWidestSite = 80;

// What kind of device a profile's own name says: TPU_0(process=0,(0,0,0,0)).
std::string_view KindOfDevice(const std::string& name) {
  for (const char* tpu : {"TPU", "Tpu", "tpu"}) {
    if (name.find(tpu) != name.npos) return "TPU";
  }
  for (const char* cpu : {"CPU", "Cpu", "cpu"}) {
    if (name.find(cpu) != name.npos) return "CPU device";
  }
  return "GPU";
}

// Each process numbers its devices.
std::string GpuName(const Summary& summary, int64_t process, int64_t device) {
  std::string_view kind = "GPU";
  std::string file;
  bool several = false;
  for (const DeviceSummary& one : summary.devices) {
    several |= one.process != process;
    if (one.process != process) continue;
    file = one.path.substr(one.path.rfind('/') + 1);
    if (one.device == device) kind = KindOfDevice(one.name);
  }
  if (!several) return fmt::format("{} {}", kind, device);
  return fmt::format("{} {} of process {}{}", kind, device, process,
                     file.empty() ? "" : " (" + Safe(file) + ")");
}

std::string PoolText(const DeviceSummary& device) {
  std::string text;
  // If only a pool's blocks are known, it has no held bytes.
  if (device.allocated_bytes &&
      *device.allocated_peak_bytes != device.peak_bytes) {
    text += fmt::format(
        "         by the pool's own count {}, {} at the end, including earlier "
        "blocks\n",
        FormatBytes(*device.allocated_peak_bytes),
        FormatBytes(*device.allocated_bytes));
  }
  if (device.before_bytes) {
    text +=
        fmt::format("         {} of it were live before the record begins\n",
                    FormatBytes(*device.before_bytes));
  }
  if (device.reserved_peak_bytes.value_or(0) == 0) return text;
  return text + fmt::format("         in a pool that held {}, {} at the end\n",
                            FormatBytes(*device.reserved_peak_bytes),
                            FormatBytes(*device.reserved_bytes));
}

// What the pool does not hold, as one figure and its parts.
std::string OutsideText(const Summary& summary, const DeviceSummary& device) {
  for (const OutsidePool& one : summary.outside) {
    if (one.process != device.process || one.device != device.device) continue;
    std::string parts;
    const auto add = [&parts](int64_t bytes, const char* what) {
      if (bytes == 0) return;
      parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ",
                           FormatBytes(bytes), what);
    };
    add(one.own_bytes, "of this process's other allocations");
    add(one.other_bytes, "of other processes");
    add(one.remainder_bytes, "of contexts and libraries");
    return fmt::format("         {} outside of it: {}\n",
                       FormatBytes(one.bytes), parts);
  }
  return {};
}

std::string CountOf(int64_t count, const char* what) {
  return fmt::format("{} {}{}", FormatCount(count), what,
                     count == 1 ? "" : "s");
}

std::string MomentText(const Summary& summary, const DeviceSummary& device) {
  const std::string in =
      device.allocations > 0
          ? " in " + CountOf(device.allocations, device.what.c_str())
          : "";
  const std::string pool =
      device.reserved_bytes.value_or(0) > 0
          ? " of a pool of " + FormatBytes(*device.reserved_bytes)
          : "";
  return fmt::format(
      "  {}{}: {} live{}{} {}; what was freed before and how much was free on "
      "the device is not in it\n",
      GpuName(summary, device.process, device.device),
      KindOfDevice(device.name) == "GPU" || device.name.empty()
          ? ""
          : ", " + Safe(device.name),
      FormatBytes(device.live_bytes), in, pool, device.when);
}

std::string DeviceText(const Summary& summary, const DeviceSummary& device) {
  if (device.one_moment) return MomentText(summary, device);
  return fmt::format("  {}: peak {}{}, {} at the end; {}, {}, {}\n",
                     GpuName(summary, device.process, device.device),
                     FormatBytes(device.peak_bytes),
                     device.capacity_bytes
                         ? " of " + FormatBytes(*device.capacity_bytes)
                         : "",
                     FormatBytes(device.live_bytes),
                     CountOf(device.allocations, "allocation"),
                     CountOf(device.frees, "free"),
                     CountOf(device.failed, "failed request")) +
         (device.only_since_profile
              ? "         of what was allocated during the profile; what was "
                "live before it is not in it\n"
              : "") +
         PoolText(device) + OutsideText(summary, device);
}

bool IsDrawn(const MemoryTelling& telling, const DeviceSummary& device) {
  return !telling.picture.empty() && telling.process == device.process &&
         telling.device == device.device;
}

std::string Devices(const Summary& summary, const MemoryTelling& telling,
                    const Painter& paint) {
  if (summary.devices.empty() && summary.host.empty()) return {};
  std::vector<const DeviceSummary*> devices;
  for (const DeviceSummary& one : summary.devices) devices.push_back(&one);
  if (!telling.all) {
    std::ranges::stable_partition(
        devices, [&](const auto* one) { return IsDrawn(telling, *one); });
  }
  std::string text = paint.Bold("Memory recorded") + "\n";
  const size_t shown = std::min(kMaxDevices, devices.size());
  for (size_t i = 0; i < shown; ++i) {
    text += DeviceText(summary, *devices[i]);
    if (IsDrawn(telling, *devices[i])) text += telling.picture;
  }
  return text + More(shown, devices.size());
}

std::string HostText(const Summary& summary, const DeviceSummary& host) {
  const bool several = std::ranges::any_of(summary.host, [&](const auto& one) {
    return one.process != host.process;
  });
  const std::string whose =
      several ? fmt::format(" of process {}", host.process) : "";
  if (host.host_memory == HostMemory::kExecutables) {
    return fmt::format("  compiled programs{}: {} in {}, of no one device\n",
                       whose, FormatBytes(host.live_bytes),
                       FormatCount(host.allocations));
  }
  const bool pinned = host.host_memory == HostMemory::kPinned;
  return fmt::format(
      "  {}{}: peak {}, {} at the end; {}, {}, {}\n",
      pinned ? "pinned host memory"
             : "host memory of the framework's allocator",
      whose, FormatBytes(host.peak_bytes), FormatBytes(host.live_bytes),
      CountOf(host.allocations, "allocation"), CountOf(host.frees, "free"),
      CountOf(host.failed, "failed request"));
}

std::string Host(const Summary& summary) {
  std::string text;
  const size_t shown = std::min(kMaxDevices, summary.host.size());
  for (size_t i = 0; i < shown; ++i) {
    text += HostText(summary, summary.host[i]);
  }
  return text + More(shown, summary.host.size());
}

std::string LifeText(const PeakSummary& peak) {
  if (peak.at == "refusal") return " in its pool, when it refused";
  if (peak.at == "end") return " in its pool, at the end";
  if (!peak.persistent_bytes) return {};
  return fmt::format(
      ": {} persistent, {} of a step, {} transient{}",
      FormatBytes(*peak.persistent_bytes), FormatBytes(*peak.step_bytes),
      FormatBytes(*peak.transient_bytes),
      peak.steps_are_guessed
          ? " (the steps are repeating allocations, which nothing names so)"
          : "");
}

// Peaks of a pool's blocks if they are known, else of the driver's; the largest
// first.
std::vector<const PeakSummary*> TellingPeaks(const Summary& summary) {
  std::vector<const PeakSummary*> telling;
  for (const PeakSummary& peak : summary.peaks) {
    const bool in_pool = std::any_of(
        summary.peaks.begin(), summary.peaks.end(), [&](const auto& other) {
          return other.layer == "pool" && other.process == peak.process &&
                 other.device == peak.device;
        });
    if (!in_pool || peak.layer == "pool") telling.push_back(&peak);
  }
  std::stable_sort(
      telling.begin(), telling.end(),
      [](const auto* a, const auto* b) { return a->bytes > b->bytes; });
  return telling;
}

// Memory that need not have been held then, as far as is known.
std::string SparableText(const PeakSummary& peak) {
  std::string text;
  if (peak.waiting_bytes > 0) {
    text += fmt::format(
        "         {} were freed and waited for another stream "
        "(record_stream)\n",
        FormatBytes(peak.waiting_bytes));
  }
  if (peak.carried_bytes.value_or(0) > 0) {
    text += fmt::format(
        "         {} came from the previous step: allocated early or freed "
        "late\n",
        FormatBytes(*peak.carried_bytes));
  }
  return text;
}

// One line: what it is for, and how that was told; none where nothing told it.
std::string CategoriesText(const PeakSummary& peak) {
  if (peak.categories.size() == 1 &&
      peak.categories.front().category == "not told apart") {
    return {};
  }
  std::string text;
  for (const PeakCategory& one : peak.categories) {
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", ",
                        FormatBytes(one.bytes), one.category,
                        one.told_by.substr(0, one.told_by.find(':')));
  }
  return text.empty() ? text : "         by what it is for: " + text + "\n";
}

std::string SitesText(const PeakSummary& peak) {
  std::string text;
  for (size_t i = 0; i < std::min(kMaxSites, peak.sites.size()); ++i) {
    const PeakSite& site = peak.sites[i];
    text += fmt::format("      {:>11}  {} in {}\n", FormatBytes(site.bytes),
                        Printable(WithoutFolders(site.function), kWidestSite),
                        CountOf(site.blocks, "block"));
  }
  return text;
}

std::string Peaks(const Summary& summary, const MemoryTelling& telling,
                  const Painter& paint) {
  const std::vector<const PeakSummary*> peaks = TellingPeaks(summary);
  if (peaks.empty()) return {};
  const bool one_moment =
      !summary.devices.empty() && summary.devices.front().one_moment;
  std::string text =
      paint.Bold(one_moment ? "Held then" : "Held at the peak") + "\n";
  const size_t shown = std::min(kMaxPeaks, peaks.size());
  for (size_t i = 0; i < shown; ++i) {
    const PeakSummary& peak = *peaks[i];
    text += fmt::format("  {}{}\n", GpuName(summary, peak.process, peak.device),
                        LifeText(peak)) +
            CategoriesText(peak) + SparableText(peak) + SitesText(peak);
  }
  text += More(shown, peaks.size());
  if (!telling.all) return text;
  return text + paint.Dim("  which of it kernels used is not recorded") + "\n";
}

// Only calls of the driver: a pool's are cheap.
std::string ShortLivedText(const Summary& summary, const Painter& paint) {
  std::string text;
  for (size_t i = 0; i < std::min(kMaxSites, summary.short_lived.size()); ++i) {
    const ShortLivedSite& site = summary.short_lived[i];
    if (site.by_driver == 0) continue;
    text += fmt::format("  {}: {} {:.1f} times a step, {} each, held for {}\n",
                        GpuName(summary, site.process, site.device),
                        Printable(WithoutFolders(site.function), kWidestSite),
                        site.per_step, FormatBytes(site.bytes / site.blocks),
                        FormatDuration(site.time));
  }
  if (text.empty()) return text;
  return paint.Bold(
             "Allocated and freed in every step, though each free waits for "
             "the GPU") +
         "\n" + text;
}

}  // namespace

std::string MemoryText(const Summary& summary, const MemoryTelling& telling,
                       const Painter& paint) {
  std::string text = Devices(summary, telling, paint) + Host(summary);
  if (telling.sites) text += Peaks(summary, telling, paint);
  if (telling.all) text += ShortLivedText(summary, paint);
  return text;
}

}  // namespace inquest::report
