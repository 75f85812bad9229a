// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/check_pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/rules/load/check_message.h"
#include "analyzer/rules/signatures/signature_literals.h"
#include "analyzer/rules/signatures/signature_pattern.h"
#include "analyzer/rules/signatures/signature_sieve.h"
#include "base/suggest.h"
#include "base/text.h"

namespace inquest::rules {
namespace {

struct Advice {
  const char* code;
  std::string reason;
  std::string help;
};

// RE2 names the piece that it does not accept; users of other dialects should
// learn that it is absent on purpose.
Advice AdviceFor(const re2::RE2& pattern) {
  const std::string& piece = pattern.error_arg();
  const auto starts = [&](std::string_view what) {
    return std::string_view(piece).starts_with(what);
  };
  // Of a look-behind, RE2 shows only the beginning, which a named group shares.
  const bool behind =
      starts("(?<") && (pattern.pattern().find("(?<=") != std::string::npos ||
                        pattern.pattern().find("(?<!") != std::string::npos);
  if (starts("(?=") || starts("(?!") || behind) {
    return {"R031",
            "RE2 has no look-ahead and no look-behind: it promises time linear "
            "in the line",
            "match the neighbouring text, too, and capture only the wanted "
            "part, or exclude lines with `unless`"};
  }
  if (starts("(?>") || piece.find("++") != std::string::npos ||
      piece.find("*+") != std::string::npos ||
      piece.find("?+") != std::string::npos) {
    return {"R031",
            "RE2 has no atomic groups and no possessive quantifiers; it never "
            "backtracks, so they are not needed",
            "use the plain form"};
  }
  if (piece.size() >= 2 && piece[0] == '\\' &&
      (IsDigit(piece[1]) || piece[1] == 'k')) {
    return {"R031", "RE2 has no back-references to the text of a group",
            "write the expected text twice, or capture both and compare them "
            "in a rule"};
  }
  if (starts("(?<")) {
    return {"R030", "not every RE2 knows this form of a named group",
            "write (?P<name>…)"};
  }
  if (pattern.error_code() == re2::RE2::ErrorPatternTooLarge) {
    return {"R030", "its automaton would be too large",
            "use smaller repetitions than {1000}, fewer alternatives"};
  }
  if (piece.starts_with('\\')) {
    return {"R030", "",
            "a backslash before a letter must be one of RE2's "
            "escapes (\\d \\s \\w \\b …); a literal one is \\\\"};
  }
  return {"R030", "",
          "the syntax is that of RE2; put a backslash before ( ) [ ] { } . * + "
          "? | ^ $ to match them literally"};
}

// The place of `piece` in the file: its first occurrence after the pattern's
// beginning, within the possible extent of the pattern.
Place PlaceOf(const std::string& piece, const Pattern& pattern,
              std::string_view text) {
  Place place = pattern.place;
  size_t begin = 0;
  for (int line = 1; line < place.line; ++line) {
    begin = text.find('\n', begin) + 1;
    if (begin == 0) return place;
  }
  begin = std::min(text.size(), begin + static_cast<size_t>(place.column) - 1);
  const size_t reach = 3 * pattern.text.size() + 200;
  const size_t found = text.substr(begin, reach).find(piece);
  if (piece.empty() || found == std::string_view::npos) return place;
  for (size_t at = begin; at < begin + found; ++at) {
    ++place.column;
    if (text[at] == '\n') {
      ++place.line;
      place.column = 1;
    }
  }
  return place;
}

void CheckNames(const Signature& signature,
                const std::vector<std::string>& names, Fields* fields) {
  const auto captured = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const auto& [name, type] : signature.types) {
    if (captured(name)) continue;
    fields->Error(
        fields->Child("types").WhereKey(name),
        {"R032", "the pattern has no capture named '" + name + "'", "",
         names.empty() ? "write (?P<" + name + ">…) in the pattern"
                       : DidYouMean(name, names)});
  }
  for (const auto& [name, value] : signature.set) {
    if (!captured(name)) continue;
    fields->Error(fields->Child("set").WhereKey(name),
                  {"R033", "'" + name + "' is both set and captured", "",
                   "rename one of the two"});
  }
}

void Compile(Pattern* pattern) {
  if (pattern->literals) {
    pattern->compiled =
        std::make_shared<re2::RE2>(pattern->re2, PatternOptions());
    return;
  }
  TakenApart parts = TakeApart(pattern->re2, Sieve::kShortest);
  pattern->compiled = std::move(parts.compiled);
  pattern->literals = std::move(parts.literals);
}

// False if it is not a valid expression.
bool CheckPattern(Pattern* checked, Fields* fields) {
  Compile(checked);
  const re2::RE2& re2 = *checked->compiled;
  if (!re2.ok()) {
    const Advice advice = AdviceFor(re2);
    fields->Error(PlaceOf(re2.error_arg(), *checked, fields->document().text),
                  {advice.code,
                   "the pattern is not a valid RE2 expression: " + re2.error(),
                   advice.reason, advice.help});
    return false;
  }
  if (re2::RE2::PartialMatch("", re2)) {
    fields->Error(checked->place,
                  {"R034", "the pattern matches an empty line",
                   "so it matches every line", "make it require some text"});
  }
  return true;
}

}  // namespace

void CheckPatterns(Signature* signature, Fields* fields) {
  std::set<std::string> names;
  bool all_fine = !signature->patterns.empty();
  for (Pattern& pattern : signature->patterns) {
    if (pattern.re2.empty()) return;  // already reported
    if (!CheckPattern(&pattern, fields)) {
      all_fine = false;
      continue;
    }
    for (const auto& [name, group] : pattern.compiled->NamedCapturingGroups()) {
      names.insert(name);
    }
  }
  if (signature->unless && !signature->unless->re2.empty()) {
    all_fine = CheckPattern(&*signature->unless, fields) && all_fine;
    signature->unless->compiled.reset();  // no samples of its own to test
  }
  if (!all_fine) return;
  const std::vector<std::string> list(names.begin(), names.end());
  CheckNames(*signature, list, fields);
  CheckMessage(*signature, list, fields);
}

}  // namespace inquest::rules
