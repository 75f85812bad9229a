// SPDX-License-Identifier: Apache-2.0
// The pages of single rules and of files of signatures.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyzer/rules/model/entry.h"
#include "analyzer/rules/model/rule_words.h"
#include "authoring/pages/pages.h"
#include "base/json_text.h"

namespace inquest::authoring {
namespace {

using rules::Relation;
using rules::Rule;
using rules::Signature;

std::string ListOf(const char* title, const std::vector<std::string>& items) {
  if (items.empty()) return {};
  std::string text = fmt::format("\n## {}\n\n", title);
  for (const std::string& item : items) text += "- " + Markdown(item) + "\n";
  return text;
}

// Indented, so that nothing in it can end the block.
std::string Code(const std::string& text) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    out += "    " + text.substr(begin, end - begin) + "\n";
    begin = end + 1;
  }
  return out;
}

std::string NeedsOf(const Rule& rule) {
  std::vector<std::string> needs;
  for (const std::string& fact : rule.needs) needs.push_back("`" + fact + "`");
  for (const auto& any : rule.needs_any) {
    needs.push_back(fmt::format("`{}`", fmt::join(any, "` or `")));
  }
  return needs.empty() ? ""
                       : fmt::format(
                             "\nIt needs {}; without them it is listed "
                             "as skipped.\n",
                             fmt::join(needs, ", "));
}

std::string EndsOf(const std::vector<std::string>& ends) {
  return fmt::format("`{}`", fmt::join(ends, "`, `"));
}

std::string ExceptionsOf(const Rule& rule) {
  std::vector<std::string> items;
  for (const rules::Exception& exception : rule.exceptions) {
    for (const auto& tuple : exception.tuples) {
      items.push_back(exception.name + ": " + JsonText(tuple));
    }
  }
  return ListOf("Exceptions", items);
}

std::string Described(const Signature& one) {
  std::string text = fmt::format("{}{}", rules::Word(one.role),
                                 one.cause.empty() ? "" : " · " + one.cause);
  if (one.severity != rules::Severity::kError) {
    text += fmt::format(" · {}", rules::Word(one.severity));
  }
  if (one.status != rules::Stage::kStable) {
    text += " · " + rules::ToJson(one)["status"].get<std::string>();
  }
  if (!one.fact.empty()) text += " · fills `" + one.fact + "`";
  return text;
}

// A page shows what is meant; the rule's file and `inquest rules show` have the
// patterns and all samples.
std::string SampleOf(const Signature& one) {
  if (!one.match.empty()) return Code(one.match.front().line);
  for (const rules::Pattern& pattern : one.patterns) {
    if (pattern.sample) return Code(pattern.sample->line);
  }
  return {};
}

std::string SignatureSection(const Signature& one) {
  std::string text = fmt::format("\n## {}\n\n", one.id);
  if (!one.title.empty()) text += Markdown(one.title) + "  \n";
  text += Described(one) + "\n\n";
  text += SampleOf(one);
  if (!one.fix.empty()) text += "\n" + FixesOf(one.fix);
  for (const std::string& item : one.falsepositives) {
    text += "\nWrong for " + Markdown(item) + "\n";
  }
  for (const std::string& item : one.references) {
    text += "\nSee " + Markdown(item) + "\n";
  }
  return text;
}

}  // namespace

std::string Markdown(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '*' || c == '|' || c == '`') {
      out += '\\';
      out += c;
    } else {
      out += c == '\n' ? ' ' : c;
    }
  }
  return out;
}

std::string FileOf(const rules::Place& place) {
  constexpr std::string_view kBuiltIn = "built-in/";
  return place.file.starts_with(kBuiltIn)
             ? "rules/" + place.file.substr(kBuiltIn.size())
             : place.file;
}

std::string ConditionsText(const std::vector<rules::Condition>& conditions,
                           std::string_view begin) {
  std::string text;
  for (const rules::Condition& one : conditions) {
    const std::string value =
        one.values.empty() ? "known"
                           : fmt::format("{}", fmt::join(one.values, " or "));
    text += fmt::format("{} `{}` is {}", text.empty() ? begin : " and",
                        one.figure, value);
  }
  return text.empty() ? text : " (" + text + ")";
}

std::string FixesOf(const std::vector<rules::Fix>& fixes) {
  std::string text;
  for (size_t i = 0; i < fixes.size(); ++i) {
    const rules::Fix& fix = fixes[i];
    text += fmt::format(
        "{}. {}{}{}{}\n", i + 1, Markdown(fix.text),
        fix.when.empty() ? "" : fmt::format(" ({})", fmt::join(fix.when, ", ")),
        ConditionsText(fix.applies_if, "where"),
        ConditionsText(fix.unless, "unless"));
    if (!fix.command.empty()) text += "\n" + Code(Code(fix.command)) + "\n";
    if (!fix.url.empty()) text += "    see " + fix.url + "\n";
  }
  return text;
}

std::string RulePageName(const Rule& rule) {
  return rule.id + ".md";
}

std::string SignaturePageName(const Signature& signature) {
  std::string name = FileOf(signature.place);
  for (const std::string_view folder : {"rules/", "signatures/"}) {
    if (name.starts_with(folder)) name.erase(0, folder.size());
  }
  name.resize(std::min(name.size(), name.rfind('.')));
  std::replace(name.begin(), name.end(), '/', '-');
  return "signatures-" + name + ".md";
}

std::string RulePage(const Rule& rule) {
  const auto json = rules::ToJson(rule);
  std::string text =
      fmt::format("{}\n# {}\n\nRule `{}` · cause {} · {} · {} · {} · {}\n",
                  kPageMark, Markdown(rule.title), rule.id, rule.cause,
                  json["severity"].get<std::string>(),
                  json["confidence"].get<std::string>(),
                  json["status"].get<std::string>(), FileOf(rule.place));
  text += "\n> " + Markdown(rule.message) + "\n" + NeedsOf(rule);
  if (!rule.fix.empty()) text += "\n## What to do\n\n" + FixesOf(rule.fix);
  text += ListOf("When it is wrong", rule.falsepositives);
  text += ExceptionsOf(rule);
  text += fmt::format(
      "\n`inquest rules show {}` prints its SQL; what it explains or "
      "refines is in [relations.md](relations.md).\n",
      rule.id);
  return text + ListOf("References", rule.references);
}

std::string RelationsPage(const rules::RuleSet& set) {
  std::string text = fmt::format(
      "{}\n# Relations\n\nWhich finding explains, refines or excludes which, "
      "by cause or by id. Why, the files of the rules say.\n\n",
      kPageMark);
  for (const Relation& relation : set.relations) {
    text += fmt::format("- {} {} {}\n", EndsOf(relation.from),
                        rules::ToJson(relation)["kind"].get<std::string>(),
                        EndsOf(relation.to));
  }
  return text;
}

std::string SignaturePage(const std::vector<const Signature*>& all) {
  std::string text = fmt::format("{}\n# Signatures of {}\n", kPageMark,
                                 FileOf(all.front()->place));
  std::vector<std::string> others;
  for (const Signature* one : all) {
    if (!one->title.empty() || !one->cause.empty()) {
      text += SignatureSection(*one);
    } else {
      others.push_back("`" + one->id + "`");
    }
  }
  if (others.empty()) return text;
  return text + fmt::format("\n## Lines that name no cause\n\n{}\n",
                            fmt::join(others, ", "));
}

}  // namespace inquest::authoring
