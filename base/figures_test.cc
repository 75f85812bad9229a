// SPDX-License-Identifier: Apache-2.0
#include "base/figures.h"

#include <nlohmann/json.hpp>

#include "base/figures_json.h"
#include "tests/catch_compat.h"

namespace inquest {
namespace {

TEST_CASE("numbers compare by value, other types differ") {
  CHECK(Figure(3) == Figure(3.0));
  CHECK(Figure(uint64_t{3}) == Figure(3));
  CHECK_FALSE(Figure(3) == Figure(3.5));
  CHECK_FALSE(Figure(3) == Figure("3"));
  CHECK_FALSE(Figure(1) == Figure(true));
  CHECK_FALSE(Figure() == Figure(0));
  CHECK(Figure::List{1, "a"} == Figure::List{1.0, "a"});
}

TEST_CASE("a figure of another type reads as nothing") {
  CHECK(Figure("x").Integer() == 0);
  CHECK(Figure(2.9).Integer() == 2);
  CHECK(Figure(7).Text().empty());
  CHECK(Figure(7).Items().empty());
  CHECK(Figure(7).AsList() == Figure::List{7});
}

TEST_CASE("figures are found by name, and new ones can be added") {
  Figures figures = {{"b", 2}, {"a", "one"}};
  CHECK(figures["a"].Text() == "one");
  CHECK(figures.Find("c") == nullptr);
  CHECK(std::as_const(figures)["c"].IsNull());
  figures.AddNew({{"a", "two"}, {"c", 3}});
  CHECK(figures == Figures{{"a", "one"}, {"b", 2}, {"c", 3}});
}

TEST_CASE("JSON text and back") {
  const std::string text =
      R"({"big":18446744073709551615,"list":[1,"x",null],"none":null,)"
      R"("real":2.5,"size":-3,"text":"é","yes":true})";
  const Figures figures = ParseFigures(text);
  CHECK(figures["big"] == Figure(UINT64_MAX));
  CHECK(JsonText(figures) == text);
  CHECK(nlohmann::json(figures) == nlohmann::json::parse(text));
  CHECK(JsonText(Figure("\xff")) == "\"\uFFFD\"");
  CHECK(JsonText(Figures()) == "{}");
}

TEST_CASE("only objects have figures; nested objects become text") {
  CHECK(ParseFigures("[1]").empty());
  CHECK(ParseFigures("{").empty());
  CHECK(ParseFigures(R"({"a":{"b":1}})")["a"] == R"({"b":1})");
}

}  // namespace
}  // namespace inquest
