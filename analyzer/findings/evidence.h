// Turns references to facts ("log_event:12", "memory_event:3") into evidence
// with place and text. Used while findings are collected; reads the store.
#pragma once

#include <string_view>
#include <vector>

#include "analyzer/facts/store.h"
#include "analyzer/findings/finding.h"

namespace inquest::findings {

// References are separated by blanks; one that names nothing is left out, and
// so are those beyond `most`. Long texts are cut.
std::vector<Evidence> ResolveEvidence(facts::Store* store,
                                      std::string_view references, size_t most);

}  // namespace inquest::findings
