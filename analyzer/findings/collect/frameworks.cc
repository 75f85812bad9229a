// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/frameworks.h"

namespace inquest::findings {
namespace {

// Whose a line of the log is, by its signature: the first word of the id. XLA's
// words are printed in JAX's and in TensorFlow's runs, so those two count only
// by their own names and paths. `platform` stands for frameworks that no step
// is for. Null: nobody's.
constexpr char kLines[] =
    "SELECT source, line, name FROM (SELECT source, line, CASE WHEN signature "
    "GLOB 'torch.*' THEN 'torch' "
    "WHEN signature = 'tensorflow.frame' THEN 'tensorflow' "
    "WHEN signature = 'platform.xla' THEN 'xla' "
    "WHEN signature GLOB 'jax.*' AND signature NOT GLOB 'jax.oom*' AND "
    "signature NOT GLOB 'jax.peer.*' AND signature <> 'jax.custom-call' THEN "
    "'jax' WHEN signature GLOB 'platform.*' AND signature NOT IN "
    "('platform.windows', 'platform.macos', 'platform.notebook', "
    "'platform.ray', 'platform.wsl') THEN 'platform' END AS name FROM "
    "log_event) WHERE name IS NOT NULL";

// A framework is present if a process mapped a library of its own (CUDA's
// libraries may lie in a folder of that name), if a launcher of its own was
// started, if the trace is a file that only this framework writes or, where no
// libraries were recorded, if a line of the log is its own.
constexpr char kSeen[] =
    "SELECT name FROM (SELECT 'torch' AS name UNION ALL "
    "SELECT 'tensorflow' UNION ALL SELECT 'jax') AS f WHERE "
    "EXISTS (SELECT 1 FROM library AS l WHERE CASE f.name "
    "WHEN 'torch' THEN l.name LIKE 'libtorch%' OR l.name LIKE 'libc10%' "
    "WHEN 'tensorflow' THEN instr(l.name, 'tensorflow') > 0 "
    "WHEN 'jax' THEN l.name NOT LIKE 'libcu%' AND "
    "(instr(l.path, '/jaxlib/') > 0 OR instr(l.path, '/jax_plugins/') > 0) "
    "END) OR "
    "(f.name = 'torch' AND EXISTS (SELECT 1 FROM process AS p WHERE "
    "instr(p.command, 'torchrun') > 0 OR instr(p.command, ' -m torch.') > 0)) "
    "OR "
    "EXISTS (SELECT 1 FROM coverage AS c WHERE f.name = CASE WHEN c.source IN "
    "('torch-snapshot', 'kineto', 'memory-timeline', 'flight-recorder') THEN "
    "'torch' WHEN c.source = 'pprof' THEN 'jax' END)";

}  // namespace

Expected<Frameworks> Frameworks::Read(facts::Store* store,
                                      const std::vector<Finding>& findings) {
  Frameworks frameworks;
  ASSIGN_OR_RETURN(Statement row, store->db().Prepare(kSeen));
  for (std::string name; row.Next(&name);) frameworks.seen_.insert(name);
  RETURN_IF_ERROR(row.status());
  ASSIGN_OR_RETURN(Statement recorded,
                   store->db().Prepare("SELECT 1 FROM library LIMIT 1"));
  int64_t one = 0;
  frameworks.all_ = recorded.Next(&one);
  RETURN_IF_ERROR(recorded.status());
  RETURN_IF_ERROR(frameworks.ReadLines(store, findings));
  return frameworks;
}

Status Frameworks::ReadLines(facts::Store* store,
                             const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    for (const Evidence& one : finding.evidence) {
      if (one.source != 0) lines_[{one.source, one.line}];
    }
  }
  ASSIGN_OR_RETURN(Statement row, store->db().Prepare(kLines));
  int64_t source = 0, line = 0;
  for (std::string name; row.Next(&source, &line, &name);) {
    if (!all_) seen_.insert(name);
    const auto found = lines_.find({source, line});
    if (found != lines_.end()) found->second.insert(name);
  }
  return row.status();
}

Frameworks::Names Frameworks::NamedBy(const Finding& finding) const {
  Names names;
  for (const Evidence& one : finding.evidence) {
    const auto found = lines_.find({one.source, one.line});
    if (found == lines_.end()) continue;
    names.insert(found->second.begin(), found->second.end());
  }
  return names;
}

bool Frameworks::IsMeant(const std::string& framework,
                         const Names& shown) const {
  if (shown.contains(framework)) return true;
  if (framework == "torch" || !shown.contains("xla")) return false;
  const bool known = seen_.contains("jax") || seen_.contains("tensorflow");
  return !known || seen_.contains(framework);
}

bool Frameworks::MayBe(const std::string& framework,
                       const Finding& finding) const {
  if (all_) return seen_.contains(framework);
  const Names named = NamedBy(finding);
  if (!named.empty()) return IsMeant(framework, named);
  return seen_.empty() || IsMeant(framework, seen_);
}

}  // namespace inquest::findings
