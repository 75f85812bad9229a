#include "analyzer/facts/derive/comparable_versions.h"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>

#include "analyzer/facts/store/catalogue.h"

namespace inquest::facts {
namespace {

constexpr int kParts = 4;
constexpr int64_t kPart = 10'000;
constexpr int64_t kMaxFirst = 999'999;

void VersionNumberSql(sqlite3_context* context, int, sqlite3_value** values) {
  const auto* text =
      reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  if (text == nullptr) return;
  const auto number = VersionNumber(
      {text, static_cast<size_t>(sqlite3_value_bytes(values[0]))});
  if (number) sqlite3_result_int64(context, *number);
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
  if (sqlite3_create_function_v2(
          db->raw(), "version_number", 1,
          SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
          VersionNumberSql, nullptr, nullptr, nullptr) != SQLITE_OK) {
    return Internal("cannot define the function version_number: " +
                    db->LastError());
  }
  return Status::Ok();
}

Status CollectVersions(Database* db) {
  return db->Execute(VersionsSeen());
}

}  // namespace inquest::facts
