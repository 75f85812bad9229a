// Files that lie beside logs and traces and that users hand over by mistake, or
// in the form that their tool keeps to itself: reports of Nsight, core dumps,
// checkpoints. Read as logs they would say nothing, as if nothing had happened.
// Known by their content where it has a mark, else by their names, if they are
// not text. Used by the command line for files that no importer knows.
#pragma once

#include <optional>
#include <string>

#include "analyzer/importers/import.h"

namespace inquest::importers {

struct Stranger {
  std::string what;  // "a report of Nsight Systems"
  std::string help;  // what to do instead
};

std::optional<Stranger> StrangerOf(const FileStart& start);
// Refuses a file that is one, and says what to do; else Ok.
Status RefuseStranger(const std::string& path);

}  // namespace inquest::importers
