// SPDX-License-Identifier: Apache-2.0
// Writes stack_process, stack_tree and stack_hang from what was read of all
// dumps. Called once, after the last log. One thread.
#pragma once

#include "analyzer/facts/store/store.h"
#include "analyzer/hangs/stacks/compare.h"

namespace inquest::hangs {

Status WriteStackFacts(const StackDumps& dumps, facts::Store* store);

// stack_tree.cc: at most kMaxNodes of them; those that would follow are left
// out with all that is below.
Status WriteStackTree(const StackDumps& dumps,
                      const StackComparison& comparison, facts::Store* store);

// "rank 3", "pids 1, 2", "node0".
std::string WhoOf(const StackDumps& dumps, const std::vector<size_t>& members);

// "function (file:line)".
std::string SiteText(const Site& site);

}  // namespace inquest::hangs
