// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/sandbox/sandbox_functions.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "base/database_hooks.h"
#include "base/text.h"
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

void Instr(SqlCall* call) {
  if (call->AnyNull()) return;
  const std::string_view text = call->Text(0);
  const std::string_view what = call->Text(1);
  const size_t at = what.empty() ? 0 : FindLinear(text, what, 0);
  if (at == std::string_view::npos) return call->Return(int64_t{0});
  const bool bytes = call->IsBlob(0) && call->IsBlob(1);
  const auto before =
      bytes ? static_cast<int64_t>(at)
            : std::count_if(text.begin(), text.begin() + static_cast<long>(at),
                            [](char c) { return (c & 0xC0) != 0x80; });
  call->Return(int64_t{before + 1});
}

void Replace(SqlCall* call) {
  if (call->AnyNull()) return;
  const std::string_view text = call->Text(0);
  const std::string_view what = call->Text(1);
  const std::string_view with = call->Text(2);
  if (what.empty()) return call->ReturnText(0);  // as in SQLite
  const auto longest = static_cast<size_t>(call->longest_text());
  std::string out;
  size_t from = 0;
  for (size_t at = FindLinear(text, what, 0); at != std::string_view::npos;
       at = FindLinear(text, what, from)) {
    out.append(text, from, at - from).append(with);
    from = at + what.size();
    if (out.size() > longest) return call->ReturnTooBig();
  }
  call->Return(out.append(text.substr(from)));
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
void Trim(SqlCall* call) {
  if (call->AnyNull()) return;
  const Characters what = CharactersOf(call->Text(1));
  std::string_view text = call->Text(0);
  if constexpr ((sides & kLeft) != 0) text = TrimLeft(text, what);
  if constexpr ((sides & kRight) != 0) text = TrimRight(text, what);
  call->Return(text);
}

}  // namespace

bool IsAllowedFunction(std::string_view name) {
  return std::binary_search(std::begin(kAllowed), std::end(kAllowed), name);
}

Status DefineTextFunctions(Database* db) {
  struct Definition {
    const char* name;
    int arguments;
    SqlFunction function;
  };
  static constexpr Definition kDefinitions[] = {
      {"instr", 2, Instr},
      {"replace", 3, Replace},
      {"trim", 2, Trim<kLeft | kRight>},
      {"ltrim", 2, Trim<kLeft>},
      {"rtrim", 2, Trim<kRight>},
  };
  for (const Definition& one : kDefinitions) {
    RETURN_IF_ERROR(
        DefineSqlFunction(db, one.name, one.arguments, one.function));
  }
  return Status::Ok();
}

}  // namespace inquest::findings
