// SPDX-License-Identifier: Apache-2.0
// The relations `explains` as a graph over the entries of a rule set, and the
// rings in it that no order of events breaks.
//
// The nodes are rules and signatures that can be findings; an edge leads from
// one to another of a different cause if a relation says that the first
// explains the second, as in the ranking. An edge with `order: before` breaks
// any ring that it is part of, because one of two events comes first; if clocks
// do not decide, the ranking uses layers. A ring whose edges all say `order:
// any` is closed in any order: those are found, one for each set of relations
// and each set of entries that form it.
//
// Bounded: each relation is searched from at most kMaxStarts of its ends, a
// search visits each edge once, and edges beyond kMaxEdges are left out: rings
// may then be missed, see whole().
#pragma once

#include <string>
#include <vector>

#include "authoring/lint/relation_ends.h"

namespace inquest::authoring {

struct Ring {
  std::vector<std::string> ids;  // each explains the next, the last the first
  std::vector<const rules::Relation*> relations;  // from ids[i] to ids[i + 1]
};

class RelationGraph {
 public:
  static constexpr size_t kMaxStarts = 8;
  static constexpr size_t kMaxEdges = 1'000'000;

  explicit RelationGraph(const rules::RuleSet& set);
  std::vector<Ring> Rings() const;
  bool whole() const { return count_ < kMaxEdges; }

 private:
  struct Edge {
    size_t to;
    const rules::Relation* relation;
  };

  void AddEdges(const rules::Relation& relation);
  // The shortest way from `from` to `to`; empty: there is none.
  std::vector<size_t> Way(size_t from, size_t to) const;
  const rules::Relation* Between(size_t from, size_t to) const;
  Ring Close(const rules::Relation& relation, size_t from, size_t to) const;

  std::vector<Node> nodes_;
  std::vector<std::vector<Edge>> edges_;
  size_t count_ = 0;
};

}  // namespace inquest::authoring
