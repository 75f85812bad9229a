// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/fixes.h"

#include <set>
#include <string>
#include <vector>

namespace inquest::findings {
namespace {

// A framework is present if a process mapped its library, if the command names
// it, or if a signature of it matched (first word of the id). Lines of
// TensorFlow do not count: XLA prints them in JAX's runs, too.
constexpr char kFrameworks[] =
    "SELECT DISTINCT f.name FROM (SELECT 'torch' AS name UNION ALL "
    "SELECT 'tensorflow' UNION ALL SELECT 'jax') AS f WHERE "
    "EXISTS (SELECT 1 FROM library AS l WHERE instr(l.path, f.name) > 0) OR "
    "EXISTS (SELECT 1 FROM process AS p WHERE instr(p.command, f.name) > 0) OR "
    "EXISTS (SELECT 1 FROM log_event AS e WHERE f.name <> 'tensorflow' AND "
    "substr(e.signature, 1, length(f.name) + 1) = f.name || '.')";

Expected<std::set<std::string>> FrameworksOf(facts::Store* store) {
  std::set<std::string> names;
  ASSIGN_OR_RETURN(Statement row, store->db().Prepare(kFrameworks));
  for (std::string name; row.Next(&name);) names.insert(name);
  RETURN_IF_ERROR(row.status());
  return names;
}

bool Holds(const Figure& figure) {
  return !(figure.IsNull() || figure == 0 || figure == "" || figure == false);
}

bool Applies(const rules::Fix& fix, const std::set<std::string>& frameworks,
             const Figures& figures) {
  if (!fix.when.empty() && !frameworks.empty() &&
      !frameworks.contains(fix.when)) {
    return false;
  }
  return fix.applies_if.empty() || Holds(figures[fix.applies_if]);
}

}  // namespace

Status KeepFixesThatApply(facts::Store* store, Diagnosis* diagnosis) {
  ASSIGN_OR_RETURN(const auto frameworks, FrameworksOf(store));
  for (Finding& finding : diagnosis->findings) {
    std::erase_if(finding.fixes, [&](const rules::Fix& fix) {
      return !Applies(fix, frameworks, finding.figures);
    });
  }
  return Status::Ok();
}

}  // namespace inquest::findings
