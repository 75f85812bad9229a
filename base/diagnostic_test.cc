// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostic.h"

#include "base/suggest.h"
#include "tests/catch_compat.h"

using namespace inquest;

TEST_CASE("a diagnostic with everything") {
  Diagnostic d;
  d.code = "R012";
  d.message = "no such key";
  d.file = "x.yaml";
  d.line = 3;
  d.column = 5;
  d.snippet = "\tab cd";
  d.reason = "because";
  d.help = "do\nthis";
  CHECK(Render(d, false) ==
        "error[R012]: no such key\n  --> x.yaml:3:5\n   |  ab cd\n"
        "   |     ^\n  why: because\n  help: do\n        this");
}

TEST_CASE("colour only if requested, control characters never") {
  Diagnostic d;
  d.message = "bad \x1b[2J name";
  d.file = "a\rb";
  d.snippet = "x\x1b]0;title\x07y";
  CHECK(Render(d, false).find('\x1b') == std::string::npos);
  CHECK(Render(d, false).find('\r') == std::string::npos);
  CHECK(Render(d, true).find("\x1b[1;31m") == 0);
}

TEST_CASE("the caret is under its column in long and escaped lines") {
  Diagnostic d;
  d.line = 1;
  d.file = "f";
  d.snippet = "\xc3\xa9\x01 here";  // é counts one, \x01 four
  d.column = 5;
  CHECK_THAT(Render(d, false), HasText("\n   |       ^"));
  d.snippet = std::string(5000, 'a') + "HERE" + std::string(5000, 'b');
  d.column = 5001;
  const std::string text = Render(d, false);
  CHECK(text.size() < 500);
  CHECK_THAT(text, HasText("HERE"));
}

TEST_CASE("columns beyond the line do not matter") {
  Diagnostic d;
  d.snippet = "abc";
  d.column = 4000;
  CHECK_THAT(Render(d, false), HasText("\n   |    ^"));
}

TEST_CASE("statuses and levels") {
  const Status status = Unreadable("no such file").WithHint("look");
  CHECK(FromStatus(status).help == "look");
  Diagnostics list(1);
  list[0].level = Diagnostic::Level::kWarning;
  CHECK_FALSE(HasErrors(list));
  list.emplace_back();
  CHECK(HasErrors(list));
}

TEST_CASE("edit distance") {
  CHECK(EditDistance("", "") == 0);
  CHECK(EditDistance("pattern", "patern") == 1);
  CHECK(EditDistance("pattern", "pattren") == 1);
  CHECK(EditDistance("Pattern", "pattern") == 0);
  CHECK(EditDistance("abc", "") == 3);
  CHECK(EditDistance(std::string(10000, 'a'), "b") == 64);
}

TEST_CASE("did you mean") {
  const std::vector<std::string> words = {"app", "kernel", "any"};
  CHECK(DidYouMean("kernal", words) == "did you mean 'kernel'?");
  CHECK(DidYouMean("zzzzzz", words) == "one of: app, kernel, any");
  CHECK(Nearest("q", words).empty());
}
