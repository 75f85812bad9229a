// SPDX-License-Identifier: Apache-2.0
// Allocation sites for a flame graph, with what each held at the end, at the
// peak, and how often it allocated. Functions are written once, because
// chains have most of them in common.
#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/report/json_values.h"
#include "analyzer/report/native_calls.h"
#include "analyzer/report/page/page_data.h"
#include "base/capped.h"
#include "base/rows.h"
#include "base/units.h"

namespace inquest::report {
namespace {

using nlohmann::json;

constexpr size_t kSitesDrawn = 1500;
constexpr size_t kFramesDrawn = 40;  // of a chain, the outermost are left out
constexpr size_t kMaxFrameBytes = 160;
constexpr std::string_view kCalledBy = " < ";

// Sites with the most at any of these moments come first.
constexpr std::string_view kFrom =
    "FROM (SELECT s.*, p.*, h.* FROM allocation_site AS s LEFT JOIN (SELECT "
    "site AS peak_of, sum(bytes) AS at_peak, sum(blocks) AS blocks_at_peak, "
    "sum(persistent_bytes) AS persistent, sum(step_bytes) AS of_step, "
    "sum(transient_bytes) AS transient FROM peak_site GROUP BY site) AS p ON "
    "p.peak_of = s.site LEFT JOIN (SELECT site AS held_of, sum(bytes) AS held, "
    "sum(blocks) AS held_blocks FROM held_site GROUP BY site) AS h ON "
    "h.held_of = s.site) ORDER BY max(live_bytes, coalesce(at_peak, 0), "
    "coalesce(held, 0)) DESC, allocations DESC, site";

struct SiteOfPage {
  int64_t site = 0, process = 0, device = 0;
  std::string chain, function;
  std::optional<std::string> file;
  std::optional<int64_t> line;
  int64_t live_bytes = 0, live_blocks = 0, allocations = 0, failures = 0;
  std::optional<int64_t> at_peak, blocks_at_peak, held, held_blocks;
  std::optional<int64_t> persistent, of_step, transient;  // of `at_peak`
  template <class V>
  void Columns(V& v) {
    v("site", site);
    v("process", process);
    v("device", device);
    v("chain", chain);
    v("function", function);
    v("file", file);
    v("line", line);
    v("live_bytes", live_bytes);
    v("live_blocks", live_blocks);
    v("allocations", allocations);
    v("failures", failures);
    v("at_peak", at_peak);
    v("blocks_at_peak", blocks_at_peak);
    v("persistent", persistent);
    v("of_step", of_step);
    v("transient", transient);
    v("held", held);
    v("held_blocks", held_blocks);
  }
};

class Frames {
 public:
  // The numbers of a chain's functions, innermost first.
  json Numbers(std::string_view chain) {
    json numbers = json::array();
    while (!chain.empty() && numbers.size() < kFramesDrawn) {
      const size_t end = chain.find(kCalledBy);
      numbers.push_back(Number(chain.substr(0, end)));
      chain.remove_prefix(end == chain.npos ? chain.size()
                                            : end + kCalledBy.size());
    }
    return numbers;
  }
  // Of native calls, the outermost first; the innermost are left out.
  json Numbers(const std::vector<std::string>& functions) {
    json numbers = json::array();
    for (const std::string& name : functions) {
      if (numbers.size() == kFramesDrawn) break;
      numbers.push_back(Number(name));
    }
    return numbers;
  }
  json names() const { return names_; }

 private:
  size_t Number(std::string_view name) {
    const auto [at, is_new] =
        numbers_.try_emplace(Printable(name, kMaxFrameBytes), names_.size());
    if (is_new) names_.push_back(at->first);
    return at->second;
  }

  std::map<std::string, size_t> numbers_;
  json names_ = json::array();
};

// What is left out, in one row, so that the sums stay true.
struct SitesLeftOut {
  int64_t sites = 0, live_bytes = 0, at_peak = 0, allocations = 0, held = 0;
  void Add(const SiteOfPage& site) {
    ++sites;
    live_bytes = AddCapped(live_bytes, site.live_bytes);
    at_peak = AddCapped(at_peak, site.at_peak.value_or(0));
    allocations = AddCapped(allocations, site.allocations);
    held = AddCapped(held, site.held.value_or(0));
  }
};

json PlaceOfSite(const SiteOfPage& site) {
  if (!site.file) return nullptr;
  return *site.file + ":" + std::to_string(site.line.value_or(0));
}

// What the innermost function of Python called, and what of the site's came of
// it.
json NativeData(const std::vector<NativeCalls>& all, Frames* frames) {
  json ways = json::array();
  for (const NativeCalls& one : all) {
    ways.push_back({frames->Numbers(one.functions), one.live_bytes,
                    one.peak_bytes, one.allocations});
  }
  return ways;
}

}  // namespace

Expected<json> SiteData(const PageSource& source) {
  ASSIGN_OR_RETURN(auto rows,
                   SelectRows<SiteOfPage>(&source.store->db(), kFrom));
  ASSIGN_OR_RETURN(NativeCallsReader native,
                   NativeCallsReader::Read(source.store));
  Frames frames;
  SitesLeftOut rest;
  json sites = json::array();
  for (SiteOfPage site; rows.Next(&site);) {
    if (sites.size() == kSitesDrawn) {
      rest.Add(site);
      continue;
    }
    sites.push_back(
        {site.site, site.process, site.device, frames.Numbers(site.chain),
         site.live_bytes, site.live_blocks, site.at_peak.value_or(0),
         site.blocks_at_peak.value_or(0), site.allocations, site.failures,
         site.held.value_or(0), site.held_blocks.value_or(0), PlaceOfSite(site),
         site.function, site.persistent.value_or(0), site.of_step.value_or(0),
         site.transient.value_or(0),
         NativeData(native.Of(site.site), &frames)});
  }
  RETURN_IF_ERROR(rows.statement().status());
  if (sites.empty()) return json::object();
  json data = {{"frames", frames.names()}, {"sites", sites}};
  if (rest.sites > 0) {
    data["rest"] = {rest.sites, rest.live_bytes, rest.at_peak, rest.allocations,
                    rest.held};
  }
  return data;
}

}  // namespace inquest::report
