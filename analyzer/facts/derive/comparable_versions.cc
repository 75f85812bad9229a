// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/derive/comparable_versions.h"

#include <algorithm>
#include <charconv>

#include "analyzer/facts/store/catalogue.h"
#include "base/database_hooks.h"

namespace inquest::facts {
namespace {

constexpr int kParts = 4;
constexpr int64_t kPart = 10'000;
constexpr int64_t kMaxFirst = 999'999;

void VersionNumberSql(SqlCall* call) {
  const auto number = VersionNumber(call->Text(0));
  if (number) call->Return(*number);
}

}  // namespace

std::optional<int64_t> VersionNumber(std::string_view text) {
  int64_t number = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  int parts = 0;
  for (; parts < kParts; ++parts) {
    int64_t part = 0;
    const auto [next, wrong] = std::from_chars(at, end, part);
    if (wrong != std::errc() || part < 0) break;
    number =
        number * kPart + std::min(part, parts == 0 ? kMaxFirst : kPart - 1);
    at = next;
    if (at == end || *at != '.') {
      ++parts;
      break;
    }
    ++at;
  }
  if (parts == 0) return {};
  for (; parts < kParts; ++parts) number *= kPart;
  return number;
}

Status DefineVersionNumber(Database* db) {
  return DefineSqlFunction(db, "version_number", 1, VersionNumberSql);
}

Status CollectVersions(Database* db) {
  return db->Execute(VersionsSeen());
}

}  // namespace inquest::facts
