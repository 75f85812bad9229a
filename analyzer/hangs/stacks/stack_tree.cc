// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>
#include <utility>

#include "analyzer/hangs/stacks/stack_facts.h"
#include "base/rows.h"

namespace inquest::hangs {
namespace {

constexpr size_t kMaxNodes = 20'000;

struct Node {
  int64_t parent = 0;  // 0: none
  int64_t depth = 0;
  uint32_t site = 0;
  std::vector<size_t> processes;
  int64_t ends = 0;
};

struct NodeRow {
  template <class V>
  void Columns(V& v) {
    v("parent", parent);
    v("node", node);
    v("depth", depth);
    v("function", function);
    v("file", file);
    v("file_line", file_line);
    v("processes", processes);
    v("who", who);
    v("ends", ends);
  }
  std::optional<int64_t> parent;
  int64_t node = 0, depth = 0;
  std::string function;
  std::optional<std::string> file;
  std::optional<int64_t> file_line;
  int64_t processes = 0;
  std::string who;
  int64_t ends = 0;
};

class Tree {
 public:
  void Add(size_t process, const StackThread& thread) {
    int64_t parent = 0;
    for (auto at = thread.frames.rbegin(); at != thread.frames.rend(); ++at) {
      const std::pair key{parent, *at};
      auto found = known_.find(key);
      if (found == known_.end()) {
        if (nodes_.size() >= kMaxNodes) return;
        const int64_t depth = parent == 0 ? 0 : Of(parent).depth + 1;
        nodes_.push_back({parent, depth, *at, {}, 0});
        found = known_.emplace(key, std::ssize(nodes_)).first;
      }
      parent = found->second;
      std::vector<size_t>& here = Of(parent).processes;
      if (here.empty() || here.back() != process) here.push_back(process);
    }
    if (parent != 0) ++Of(parent).ends;
  }

  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  Node& Of(int64_t node) { return nodes_[static_cast<size_t>(node) - 1]; }

  std::vector<Node> nodes_;
  std::map<std::pair<int64_t, uint32_t>, int64_t> known_;
};

}  // namespace

Status WriteStackTree(const StackDumps& dumps,
                      const StackComparison& comparison, facts::Store* store) {
  Tree tree;
  for (size_t i = 0; i < dumps.processes.size(); ++i) {
    if (!comparison.counted[i]) continue;
    const StackProcess& process = dumps.processes[i];
    tree.Add(i, process.threads[comparison.states[i].thread]);
  }
  ASSIGN_OR_RETURN(auto rows,
                   InsertInto<NodeRow>(&store->db(), "store_stack_tree"));
  int64_t number = 0;
  for (const Node& node : tree.nodes()) {
    const Site& site = dumps.sites[node.site];
    NodeRow row;
    if (node.parent != 0) row.parent = node.parent;
    row.node = ++number;
    row.depth = node.depth;
    row.function = site.function;
    row.file = facts::NullIfEmpty(site.file);
    if (site.line != 0) row.file_line = site.line;
    row.processes = std::ssize(node.processes);
    row.who = WhoOf(dumps, node.processes);
    row.ends = node.ends;
    RETURN_IF_ERROR(rows.Add(row));
  }
  return Status::Ok();
}

}  // namespace inquest::hangs
