#include "analyzer/rules/load/check_pattern.h"

#include <re2/re2.h>

#include <algorithm>
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

// RE2 names the piece that it stumbled over; people who know other dialects
// need to hear that it is absent on purpose.
Advice AdviceFor(const re2::RE2& pattern) {
  const std::string& piece = pattern.error_arg();
  const auto starts = [&](std::string_view what) {
    return std::string_view(piece).starts_with(what);
  };
  // RE2 shows of a look-behind only what it shares with a named group.
  const bool behind =
      starts("(?<") && (pattern.pattern().find("(?<=") != std::string::npos ||
                        pattern.pattern().find("(?<!") != std::string::npos);
  if (starts("(?=") || starts("(?!") || behind) {
    return {"R031",
            "RE2 has no look-ahead and no look-behind: it promises time linear "
            "in the line",
            "match the neighbouring text too and capture only what is wanted, "
            "or exclude lines by a second, more exact pattern"};
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
    return {"R031", "RE2 has no back-references to what a group has matched",
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
          "the syntax is that of RE2; put a backslash before "
          "( ) [ ] { } . * + ? | ^ $ that stand for themselves"};
}

// The place of `piece` in the file: the first time it stands at or after the
// pattern's beginning, within what the pattern may take up.
Place PlaceOf(const std::string& piece, const Signature& signature,
              std::string_view text) {
  Place place = signature.pattern_place;
  size_t begin = 0;
  for (int line = 1; line < place.line; ++line) {
    begin = text.find('\n', begin) + 1;
    if (begin == 0) return place;
  }
  begin = std::min(text.size(), begin + static_cast<size_t>(place.column) - 1);
  const size_t reach = 3 * signature.pattern.size() + 200;
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
        {"R032", "the pattern captures nothing named '" + name + "'", "",
         names.empty() ? "write (?P<" + name + ">…) in the pattern"
                       : DidYouMean(name, names)});
  }
  for (const auto& [name, value] : signature.set.items()) {
    if (!captured(name)) continue;
    fields->Error(fields->Child("set").WhereKey(name),
                  {"R033", "'" + name + "' is set and captured", "",
                   "rename one of the two"});
  }
}

void Compile(Signature* signature) {
  if (signature->literals) {
    signature->compiled =
        std::make_shared<re2::RE2>(signature->pattern, PatternOptions());
    return;
  }
  TakenApart parts = TakeApart(signature->pattern, Sieve::kShortest);
  signature->compiled = std::move(parts.compiled);
  signature->literals = std::move(parts.literals);
}

}  // namespace

void CheckPattern(Signature* checked, Fields* fields) {
  const Signature& signature = *checked;
  if (signature.pattern.empty()) return;  // said already
  Compile(checked);
  const re2::RE2& pattern = *checked->compiled;
  if (!pattern.ok()) {
    const Advice advice = AdviceFor(pattern);
    fields->Error(
        PlaceOf(pattern.error_arg(), signature, fields->document().text),
        {advice.code, "the pattern is no RE2 expression: " + pattern.error(),
         advice.reason, advice.help});
    return;
  }
  if (re2::RE2::PartialMatch("", pattern)) {
    fields->Error(signature.pattern_place,
                  {"R034", "the pattern matches an empty line",
                   "so it matches every line", "let it ask for some text"});
  }
  std::vector<std::string> names;
  for (const auto& [name, group] : pattern.NamedCapturingGroups()) {
    names.push_back(name);
  }
  CheckNames(signature, names, fields);
  CheckMessage(signature, std::move(names), fields);
}

}  // namespace inquest::rules
