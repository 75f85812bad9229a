// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <tuple>

#include "analyzer/findings/job/describe_job.h"
#include "analyzer/findings/job/pci_address.h"
#include "base/rows.h"

namespace inquest::findings {
namespace {

struct Place {
  template <class V>
  void Columns(V& v) {
    v("rank", rank);
    v("coalesce(host, '')", host);
    v("pid", pid);
    v("device", device);
    v("pci", pci);
  }
  int64_t rank = 0;
  std::string host;
  std::optional<int64_t> pid;
  std::optional<int64_t> device;
  std::optional<std::string> pci;
};

class Places {
 public:
  explicit Places(std::vector<Place> places) : places_(std::move(places)) {
    for (const Place& place : places_) {
      by_rank_[place.rank] = &place;
      if (place.host.empty()) continue;
      if (place.pid)
        Add({place.host, "pid", std::to_string(*place.pid)}, place);
      if (place.pci) Add({place.host, "pci", PciAddress(*place.pci)}, place);
    }
  }

  void Complete(Finding* finding) const {
    Unit& unit = finding->unit;
    NameNode(*finding, &unit);
    if (!unit.rank && !unit.host.empty()) FindRank(*finding, &unit);
    if (!unit.rank) return;
    const auto known = by_rank_.find(*unit.rank);
    if (known == by_rank_.end()) return;
    if (unit.host.empty()) unit.host = known->second->host;
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;

  // Two ranks may share a GPU; then its address names neither.
  void Add(Key key, const Place& place) {
    const auto [at, is_new] = by_key_.try_emplace(std::move(key), &place);
    if (!is_new) at->second = nullptr;
  }
  const Place* At(const Key& key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : found->second;
  }

  // A launcher or scheduler that tells of another node: the finding is of that
  // node, not of the one that has the log.
  static void NameNode(const Finding& finding, Unit* unit) {
    const Figure& node = finding.figures["node"];
    if (!node.IsText() ||
        node.Text().find_first_of("[, ") != std::string::npos) {
      return;
    }
    unit->host = node.Text();
  }

  void FindRank(const Finding& finding, Unit* unit) const {
    const Place* place = nullptr;
    const Figure& pci = finding.figures["pci"];
    if (pci.IsText()) place = At({unit->host, "pci", PciAddress(pci.Text())});
    if (place == nullptr && unit->pid) {
      place = At({unit->host, "pid", std::to_string(*unit->pid)});
    }
    if (place == nullptr) return;
    unit->rank = place->rank;
    if (!unit->device) unit->device = place->device;
  }

  std::vector<Place> places_;
  std::map<int64_t, const Place*> by_rank_;
  std::map<Key, const Place*> by_key_;
};

}  // namespace

Status NamePlaces(facts::Store* store, Diagnosis* diagnosis) {
  ASSIGN_OR_RETURN(auto rows,
                   SelectRows<Place>(&store->db(), "FROM store_rank_place"));
  std::vector<Place> all;
  for (Place place; rows.Next(&place);) all.push_back(place);
  RETURN_IF_ERROR(rows.statement().status());
  if (all.size() < 2) return Status::Ok();
  const Places places(std::move(all));
  for (Finding& finding : diagnosis->findings) places.Complete(&finding);
  return Status::Ok();
}

}  // namespace inquest::findings
