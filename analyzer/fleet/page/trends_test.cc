// SPDX-License-Identifier: Apache-2.0
#include "analyzer/fleet/page/trends.h"

#include "tests/catch_compat.h"

namespace inquest::fleet {
namespace {

Rows Days(std::vector<Fields> rows) {
  return {{"day", "cause", "runs", "gpu_hours", "hours_known_of"},
          std::move(rows)};
}

Fields Day(int64_t day, const char* cause, int64_t runs) {
  return {day, std::string(cause), runs, 2.5 * static_cast<double>(runs), runs};
}

TEST_CASE("A few days are shown one by one") {
  const auto data = TrendData(
      Days({Day(100, "none", 4), Day(100, "a/b", 1), Day(103, "a/b", 2)}));
  CHECK(data["days"] == 1);
  CHECK(data["spans"] == 4);
  CHECK(data["runs"] == nlohmann::json({5, 0, 0, 2}));
  REQUIRE(data["causes"].size() == 1);
  CHECK(data["causes"][0]["runs"] == nlohmann::json({1, 0, 0, 2}));
  CHECK(data["causes"][0]["hours"] ==
        nlohmann::json({2.5, nullptr, nullptr, 5.0}));
}

TEST_CASE("Long times are joined, from Mondays on, and lose nothing") {
  for (const int64_t span : {62, 400, 20'000, 3'000'000}) {
    INFO(span);
    std::vector<Fields> rows;
    for (int64_t i = 0; i <= 10; ++i) {
      rows.push_back(Day(20'000 + i * span / 10, "a/b", 3));
    }
    const auto data = TrendData(Days(rows));
    CHECK(data["spans"] <= 63);
    CHECK((data["first_day"].get<int64_t>() - 4) % 7 == 0);
    int64_t runs = 0;
    for (const auto& one : data["causes"][0]["runs"])
      runs += one.get<int64_t>();
    CHECK(runs == 33);
  }
}

TEST_CASE("Causes beyond the first ones are others, unknown hours no zeros") {
  std::vector<Fields> rows;
  for (int i = 0; i < 12; ++i) {
    rows.push_back(Day(7, ("cause/" + std::to_string(i)).c_str(), 20 - i));
  }
  rows.push_back({int64_t{7}, std::string("unknown"), int64_t{1},
                  std::monostate(), int64_t{0}});
  const auto data = TrendData(Days(rows));
  REQUIRE(data["causes"].size() == 8);
  CHECK(data["causes"][0]["cause"] == "cause/0");
  CHECK(data["causes"][7]["cause"] == "");
  CHECK(data["causes"][7]["runs"] ==
        nlohmann::json({13 + 12 + 11 + 10 + 9 + 1}));
  CHECK(TrendData(Days({})).empty());
  CHECK(
      TrendData(Days({{int64_t{7}, std::string("unknown"), int64_t{1},
                       std::monostate(), int64_t{0}}}))["causes"][0]["hours"] ==
      nlohmann::json({nullptr}));
}

}  // namespace
}  // namespace inquest::fleet
