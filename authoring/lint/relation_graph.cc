// SPDX-License-Identifier: Apache-2.0
#include "authoring/lint/relation_graph.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

namespace inquest::authoring {

using rules::Relation;

RelationGraph::RelationGraph(const rules::RuleSet& set) : nodes_(NodesOf(set)) {
  edges_.resize(nodes_.size());
  for (const Relation& relation : set.relations) {
    if (relation.kind == Relation::Kind::kExplains && relation.any_order) {
      AddEdges(relation);
    }
  }
}

void RelationGraph::AddEdges(const Relation& relation) {
  const std::vector<bool> from = Named(nodes_, relation.from);
  const std::vector<bool> to = Named(nodes_, relation.to);
  for (size_t a = 0; a < nodes_.size(); ++a) {
    if (!from[a] || !whole()) continue;
    for (size_t b = 0; b < nodes_.size(); ++b) {
      if (to[b] && nodes_[a].cause != nodes_[b].cause) {
        edges_[a].push_back({b, &relation});
        ++count_;
      }
    }
  }
}

std::vector<size_t> RelationGraph::Way(size_t from, size_t to) const {
  constexpr size_t kNone = static_cast<size_t>(-1);
  std::vector<size_t> before(nodes_.size(), kNone);
  before[from] = from;
  std::queue<size_t> open({from});
  while (!open.empty() && before[to] == kNone) {
    const size_t at = open.front();
    open.pop();
    for (const Edge& edge : edges_[at]) {
      if (before[edge.to] != kNone) continue;
      before[edge.to] = at;
      open.push(edge.to);
    }
  }
  if (before[to] == kNone) return {};
  std::vector<size_t> way{to};
  while (way.back() != from) way.push_back(before[way.back()]);
  std::reverse(way.begin(), way.end());
  return way;
}

const Relation* RelationGraph::Between(size_t from, size_t to) const {
  for (const Edge& edge : edges_[from]) {
    if (edge.to == to) return edge.relation;
  }
  return nullptr;
}

Ring RelationGraph::Close(const Relation& relation, size_t from,
                          size_t to) const {
  Ring ring;
  const std::vector<size_t> way = Way(to, from);
  if (way.empty()) return ring;
  ring.ids.push_back(nodes_[from].id);
  ring.relations.push_back(&relation);
  for (size_t i = 0; i + 1 < way.size(); ++i) {
    ring.ids.push_back(nodes_[way[i]].id);
    ring.relations.push_back(Between(way[i], way[i + 1]));
  }
  return ring;
}

std::vector<Ring> RelationGraph::Rings() const {
  std::vector<Ring> rings;
  std::set<std::set<const Relation*>> known;
  std::set<std::set<std::string>> known_ids;
  std::map<const Relation*, size_t> searches;
  for (size_t from = 0; from < nodes_.size(); ++from) {
    for (const Edge& edge : edges_[from]) {
      if (++searches[edge.relation] > kMaxStarts) continue;
      Ring ring = Close(*edge.relation, from, edge.to);
      if (ring.ids.empty()) continue;
      searches[edge.relation] = kMaxStarts;  // one is enough
      const std::set<const Relation*> parts(ring.relations.begin(),
                                            ring.relations.end());
      const std::set<std::string> ids(ring.ids.begin(), ring.ids.end());
      if (known.insert(parts).second && known_ids.insert(ids).second) {
        rings.push_back(std::move(ring));
      }
    }
  }
  return rings;
}

}  // namespace inquest::authoring
