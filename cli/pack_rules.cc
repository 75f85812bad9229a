// SPDX-License-Identifier: Apache-2.0
// Runs while inquest is built: pack_rules ROOT PACK IMAGE FILE... checks the
// shipped rule files with their samples and writes them in the forms of pack.h
// and image.h in analyzer/rules/model. An error in a rule file stops the build
// with the same message as `rules lint`; so does whatever else a diagnosis
// would have to say about them at each start.
#include <fstream>
#include <iostream>
#include <string>

#include "analyzer/rules/model/image.h"
#include "analyzer/rules/model/pack.h"
#include "base/diagnostic.h"

namespace {

bool Write(const char* path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  return out.flush().good();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace inquest;
  if (argc < 4) return 2;
  const std::string root = argv[1];
  std::vector<rules::RuleSource> sources;
  for (int i = 4; i < argc; ++i) {
    auto read = rules::ReadRuleDirectory(root + "/" + argv[i]);
    if (!read.ok()) {
      std::cerr << read.status().message() << '\n';
      return 1;
    }
    for (rules::RuleSource& source : *read) {
      source.name = std::string("built-in/") + argv[i];
      sources.push_back(std::move(source));
    }
  }
  Diagnostics diagnostics;
  rules::LoadRules(sources, &diagnostics);
  for (const Diagnostic& one : diagnostics) std::cerr << Render(one, false);
  if (!diagnostics.empty()) return 1;
  const std::string pack = rules::WritePack(sources);
  // Again, since what is loaded from the pack knows its literals.
  const auto packed = rules::ReadPack(pack);
  if (!packed.ok()) return 1;
  const rules::RuleSet set = rules::LoadRules(*packed, &diagnostics);
  return Write(argv[2], pack) && Write(argv[3], rules::WriteImage(set)) ? 0 : 1;
}
