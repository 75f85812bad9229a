#include "analyzer/findings/sandbox/sandbox_functions.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_set>

#include "base/utf8.h"

namespace inquest::findings {
namespace {

constexpr std::string_view kAllowed[] = {
    "->",
    "->>",
    "abs",
    "avg",
    "ceil",
    "ceiling",
    "char",
    "coalesce",
    "count",
    "cume_dist",
    "dense_rank",
    "exp",
    "first_value",
    "floor",
    "glob",
    "group_concat",
    "hex",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array",
    "json_array_length",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_object",
    "json_type",
    "json_valid",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "ln",
    "log",
    "log10",
    "log2",
    "lower",
    "ltrim",
    "max",
    "min",
    "nth_value",
    "ntile",
    "nullif",
    "percent_rank",
    "pow",
    "power",
    "quote",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "sqrt",
    "substr",
    "substring",
    "sum",
    "total",
    "trim",
    "typeof",
    "unicode",
    "upper",
    "version_number",
};

std::string_view TextOf(sqlite3_value* value) {
  const void* text = sqlite3_value_type(value) == SQLITE_BLOB
                         ? sqlite3_value_blob(value)
                         : sqlite3_value_text(value);
  const int size = sqlite3_value_bytes(value);
  if (text == nullptr) return "";
  return {static_cast<const char*>(text), static_cast<size_t>(size)};
}

bool AnyNull(int count, sqlite3_value** values) {
  return std::any_of(values, values + count, [](sqlite3_value* value) {
    return sqlite3_value_type(value) == SQLITE_NULL;
  });
}

void Return(sqlite3_context* context, std::string_view text) {
  sqlite3_result_text64(context, text.data() == nullptr ? "" : text.data(),
                        text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

// glibc's search is linear; std::string_view::find is not.
size_t Find(std::string_view text, std::string_view what, size_t from) {
  const void* found =
      memmem(text.data() + from, text.size() - from, what.data(), what.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

void Instr(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  const std::string_view text = TextOf(values[0]);
  const std::string_view what = TextOf(values[1]);
  const size_t at = what.empty() ? 0 : Find(text, what, 0);
  if (at == std::string_view::npos) return sqlite3_result_int(context, 0);
  const bool bytes = sqlite3_value_type(values[0]) == SQLITE_BLOB &&
                     sqlite3_value_type(values[1]) == SQLITE_BLOB;
  const auto before =
      bytes ? static_cast<int64_t>(at)
            : std::count_if(text.begin(), text.begin() + static_cast<long>(at),
                            [](char c) { return (c & 0xC0) != 0x80; });
  sqlite3_result_int64(context, before + 1);
}

void Replace(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  const std::string_view text = TextOf(values[0]);
  const std::string_view what = TextOf(values[1]);
  const std::string_view with = TextOf(values[2]);
  if (what.empty()) {
    sqlite3_value_text(values[0]);  // a blob becomes a text, as SQLite's does
    return sqlite3_result_value(context, values[0]);
  }
  const auto most = static_cast<size_t>(sqlite3_limit(
      sqlite3_context_db_handle(context), SQLITE_LIMIT_LENGTH, -1));
  std::string out;
  size_t from = 0;
  for (size_t at = Find(text, what, 0); at != std::string_view::npos;
       at = Find(text, what, from)) {
    out.append(text, from, at - from).append(with);
    from = at + what.size();
    if (out.size() > most) return sqlite3_result_error_toobig(context);
  }
  Return(context, out.append(text.substr(from)));
}

using Characters = std::unordered_set<std::string_view>;

Characters CharactersOf(std::string_view text) {
  Characters all;
  while (!text.empty()) {
    const size_t length = std::max<size_t>(1, Utf8Length(text));
    all.insert(text.substr(0, length));
    text.remove_prefix(length);
  }
  return all;
}

std::string_view TrimLeft(std::string_view text, const Characters& what) {
  while (!text.empty()) {
    const size_t length = std::max<size_t>(1, Utf8Length(text));
    if (what.count(text.substr(0, length)) == 0) break;
    text.remove_prefix(length);
  }
  return text;
}

std::string_view TrimRight(std::string_view text, const Characters& what) {
  while (!text.empty()) {
    size_t length = 1;
    while (length < 4 && length < text.size() &&
           (text[text.size() - length] & 0xC0) == 0x80) {
      ++length;
    }
    if (what.count(text.substr(text.size() - length)) == 0) break;
    text.remove_suffix(length);
  }
  return text;
}

enum Side : int { kLeft = 1, kRight = 2 };

template <int sides>
void Trim(sqlite3_context* context, int count, sqlite3_value** values) {
  if (AnyNull(count, values)) return;
  const Characters what = CharactersOf(TextOf(values[1]));
  std::string_view text = TextOf(values[0]);
  if constexpr ((sides & kLeft) != 0) text = TrimLeft(text, what);
  if constexpr ((sides & kRight) != 0) text = TrimRight(text, what);
  Return(context, text);
}

}  // namespace

bool IsAllowedFunction(std::string_view name) {
  return std::binary_search(std::begin(kAllowed), std::end(kAllowed), name);
}

Status DefineTextFunctions(Database* db) {
  using Function = void (*)(sqlite3_context*, int, sqlite3_value**);
  struct Definition {
    const char* name;
    int arguments;
    Function function;
  };
  static constexpr Definition kDefinitions[] = {
      {"instr", 2, Instr},
      {"replace", 3, Replace},
      {"trim", 2, Trim<kLeft | kRight>},
      {"ltrim", 2, Trim<kLeft>},
      {"rtrim", 2, Trim<kRight>},
  };
  for (const Definition& one : kDefinitions) {
    if (sqlite3_create_function_v2(
            db->raw(), one.name, one.arguments,
            SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, nullptr,
            one.function, nullptr, nullptr, nullptr) != SQLITE_OK) {
      return Internal(std::string("cannot define the function ") + one.name +
                      ": " + db->LastError());
    }
  }
  return Status::Ok();
}

}  // namespace inquest::findings
