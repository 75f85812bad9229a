// SPDX-License-Identifier: Apache-2.0
// Runs while inquest is built: pack_rules ROOT OUT FILE... checks the shipped
// rule files with their samples and writes them in the form of
// analyzer/rules/model/pack.h. An error in a rule file stops the build with the
// same message as `rules lint`.
#include <fstream>
#include <iostream>
#include <string>

#include "analyzer/rules/model/pack.h"
#include "base/diagnostic.h"

int main(int argc, char** argv) {
  using namespace inquest;
  if (argc < 3) return 2;
  const std::string root = argv[1];
  std::vector<rules::RuleSource> sources;
  for (int i = 3; i < argc; ++i) {
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
  if (HasErrors(diagnostics)) return 1;
  std::ofstream out(argv[2], std::ios::binary);
  out << rules::WritePack(sources);
  return out.flush().good() ? 0 : 1;
}
