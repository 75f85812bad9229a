// SPDX-License-Identifier: Apache-2.0
// Versions as numbers, and the tables that they are compared with.
#include "analyzer/facts/derive/comparable_versions.h"

#include "analyzer/facts/store/store.h"
#include "tests/catch_compat.h"

namespace inquest::facts {
namespace {

int64_t Number(const char* text) {
  const auto number = VersionNumber(text);
  REQUIRE(number.has_value());
  return *number;
}

TEST_CASE("versions compare part by part") {
  CHECK(Number("470.57.02") < Number("525.60.13"));
  CHECK(Number("8.9") < Number("8.10"));
  CHECK(Number("12") == Number("12.0.0"));
  CHECK(Number("2.1.0+cu121") == Number("2.1.0"));
  CHECK(Number("2.1.0a0") == Number("2.1.0"));
  CHECK(Number("12.4.") == Number("12.4"));
  CHECK(Number("1.2.3.4.5") == Number("1.2.3.4"));
}

TEST_CASE("what is no version has no number") {
  for (const char* text : {"", "v1.2", ".1", "-1.2", "N/A"}) {
    CAPTURE(text);
    CHECK_FALSE(VersionNumber(text).has_value());
  }
}

TEST_CASE("parts too large are cut, not carried into the part before") {
  CHECK(Number("1.99999") < Number("2"));
  CHECK(Number("99999999.1") > Number("999998.9"));
  CHECK_FALSE(VersionNumber("99999999999999999999").has_value());
}

// A slip of the pen in a row of versions.sql would otherwise stay for years.
TEST_CASE("the tables hold versions, and refer to each other") {
  auto made = Store::Create();
  REQUIRE(made.ok());
  Store store = made.Take();
  REQUIRE(store.DefineFacts().ok());
  const auto none = [&](const char* sql) {
    CAPTURE(sql);
    const auto count =
        store.db().QueryInt(std::string("SELECT count(*) FROM ") + sql);
    REQUIRE(count.ok());
    CHECK(*count == 0);
  };
  none(
      "cuda_release WHERE number IS NULL OR "
      "version_number(least_driver) IS NULL OR "
      "version_number(driver) < version_number(least_driver)");
  none(
      "driver_branch WHERE number IS NULL OR least_capability NOT IN "
      "(SELECT capability FROM gpu_architecture)");
  none(
      "gpu_architecture WHERE number IS NULL OR "
      "version_number(first_cuda) > version_number(last_cuda)");
  none(
      "store_gpu_model WHERE capability NOT IN "
      "(SELECT capability FROM gpu_architecture)");
  none(
      "framework_build WHERE number IS NULL OR "
      "cuda NOT IN (SELECT cuda FROM cuda_release)");
  none(
      "cudnn_release WHERE number IS NULL OR "
      "version_number(first_cuda) > version_number(last_cuda)");
  // A driver serves what was released with it.
  none(
      "cuda_release AS c JOIN driver_branch AS b ON b.branch = "
      "CAST(c.driver AS INTEGER) WHERE b.number <> c.number");
}

}  // namespace
}  // namespace inquest::facts
