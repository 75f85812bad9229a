// Is a signature's pattern one that RE2 takes, and do the names around it fit
// its captures. Leaves the expression and its literals in the signature.
// Internal to the loader.
#pragma once

#include "analyzer/rules/load/loader_fields.h"

namespace inquest::rules {

void CheckPattern(Signature* signature, Fields* fields);

}  // namespace inquest::rules
