// SPDX-License-Identifier: Apache-2.0
#include "base/shell_words.h"

#include <array>
#include <cstdio>

#include "tests/catch_compat.h"

namespace inquest {
namespace {

// What the machine's own shell makes of a word.
std::string Echoed(const std::string& word) {
  FILE* shell = popen(("printf %s " + word).c_str(), "r");
  REQUIRE(shell != nullptr);
  std::string said;
  std::array<char, 256> block;
  size_t read = 0;
  while ((read = fread(block.data(), 1, block.size(), shell)) > 0) {
    said.append(block.data(), read);
  }
  CHECK(pclose(shell) == 0);
  return said;
}

TEST_CASE("A quoted text is read back as it was") {
  for (const std::string text : {"plain",
                                 "",
                                 "a b",
                                 "it's",
                                 "'",
                                 "''",
                                 "$(touch x)",
                                 "`id`",
                                 "a;b|c&d",
                                 "*?[a]",
                                 "~",
                                 "#x",
                                 "!!",
                                 "\\n",
                                 "\"",
                                 "two\nlines",
                                 "=ls",
                                 "-n",
                                 "/a/b-c_d.e:f,g@h%i+j=k",
                                 "ü – \xe2\x80\xae"}) {
    INFO(text);
    CHECK(Echoed(ShellQuoted(text)) == text);
    CHECK(Echoed(ShellWord(text)) == text);
  }
}

TEST_CASE("Only what a shell would change is quoted") {
  CHECK(ShellWord("runs/train-1:2.log") == "runs/train-1:2.log");
  CHECK(ShellQuoted("runs") == "'runs'");
  CHECK(ShellWord("it's") == "'it'\\''s'");
  CHECK(ShellWord("") == "''");
  CHECK(ShellWord("=ls") == "'=ls'");
}

}  // namespace
}  // namespace inquest
