// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/codes.h"

#include <re2/re2.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace inquest::rules {
namespace {

using nlohmann::json;

// In letters. The sieve (signature_sieve.h) cannot search for a shorter one, so
// the whole list would be tried on every line.
constexpr size_t kShortestName = 4;

constexpr char kCalm[] =
    R"((?i)\bwarn|\bignor(?:e|ed|ing)\b|\bretrying\b|\b(?:will|to) retry\b|\bretry (?:in|after|attempt|#|\d)|\bskip|\bfall(?:s|ing)? ?back|\bdeprecat|\b(?:has )?recovered\b|\bno \w*error)";
// IPython numbers the lines of source in a traceback.
constexpr char kSource[] =
    R"(^\s*(?:(?:-+> *)?\d+ +)?(?:#|//|\*\s|case\b|if\b|elif\b|except\b|catch\b|return\b|enum\b|raise\b)|\bif \(|[!=]= ?[A-Za-z][\w:]*\)*\s*(?:[{;:]|&&|$)|\w \|\| )";

constexpr char kNumberFollows[] =
    R"((?:[Ee]rror|ERROR|[Ff]ailure|[Ss]tatus|[Rr]esult)(?: [Cc]ode)?[ :=(#]{1,3})";

// A text, or a list of texts, under `key`.
std::vector<std::string> TextsOf(const json& code, const char* key) {
  const auto value = code.find(key);
  if (value == code.end()) return {};
  if (value->is_string()) return {value->get<std::string>()};
  std::vector<std::string> texts;
  for (const json& one : *value) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
  }
  return texts;
}

// RE2 takes the first matching alternative, so a longer one must come before
// its own prefix.
std::string AnyOf(std::vector<std::string> words) {
  std::stable_sort(words.begin(), words.end(),
                   [](const std::string& a, const std::string& b) {
                     return a.size() > b.size();
                   });
  std::string expression;
  for (const std::string& word : words) {
    if (!expression.empty()) expression += '|';
    expression += re2::RE2::QuoteMeta(word);
  }
  return expression;
}

}  // namespace

Codes::Codes(std::vector<Code> codes) : codes_(std::move(codes)) {
  for (size_t i = 0; i < codes_.size(); ++i) {
    for (const auto* words : {&codes_[i].names, &codes_[i].texts}) {
      for (const std::string& word : *words) {
        by_word_.emplace(ToLower(word), i);
      }
    }
    if (codes_[i].number) by_number_.emplace(*codes_[i].number, i);
  }
}

const Code* Codes::Find(const Figures& captured) const {
  for (const char* figure : {"error_name", "error_text"}) {
    if (!captured[figure].IsText()) continue;
    const auto found = by_word_.find(ToLower(captured[figure].Text()));
    if (found != by_word_.end()) return &codes_[found->second];
  }
  if (!captured["error_number"].IsInteger()) return nullptr;
  const auto found = by_number_.find(captured["error_number"].Integer());
  return found == by_number_.end() ? nullptr : &codes_[found->second];
}

std::vector<Code> CodesIn(const json& file) {
  std::vector<Code> codes;
  if (!file.is_object()) return codes;
  const auto list = file.find("codes");
  if (list == file.end() || !list->is_array()) return codes;
  for (const json& one : *list) {
    if (!one.is_object()) continue;
    Code code;
    const auto number = one.find("number");
    if (number != one.end() && number->is_number_integer()) {
      code.number = number->get<int64_t>();
    }
    code.names = TextsOf(one, "name");
    code.texts = TextsOf(one, "text");
    if (one.contains("cause") && one["cause"].is_string()) {
      code.cause = one["cause"].get<std::string>();
    }
    codes.push_back(std::move(code));
  }
  return codes;
}

CodeExpressions ExpressionsOf(const std::vector<Code>& codes) {
  std::vector<std::string> names;
  std::vector<std::string> texts;
  for (const Code& code : codes) {
    std::copy_if(
        code.names.begin(), code.names.end(), std::back_inserter(names),
        [](const std::string& name) { return name.size() >= kShortestName; });
    texts.insert(texts.end(), code.texts.begin(), code.texts.end());
  }
  CodeExpressions expressions{{}, {}, kCalm, kSource, kNumberFollows};
  if (!names.empty()) expressions.names = AnyOf(std::move(names));
  if (!texts.empty())
    expressions.texts = "(?i:" + AnyOf(std::move(texts)) + ")";
  return expressions;
}

void AddCode(const Code& code, const std::string& also, Figures* figures) {
  if (code.number) (*figures)["error_number"] = *code.number;
  if (!code.names.empty()) (*figures)["error_name"] = code.names[0];
  if (!code.texts.empty()) (*figures)["error_text"] = code.texts[0];
  if (also.empty()) return;
  if (!code.names.empty()) {
    (*figures)[also] = code.names[0];
  } else if (!code.texts.empty()) {
    (*figures)[also] = code.texts[0];
  } else if (code.number) {
    (*figures)[also] = *code.number;
  }
}

}  // namespace inquest::rules
