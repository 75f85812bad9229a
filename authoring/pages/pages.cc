// SPDX-License-Identifier: Apache-2.0
#include "authoring/pages/pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "analyzer/rules/model/taxonomy.h"

namespace inquest::authoring {
namespace {

using rules::Rule;
using rules::RuleSet;
using rules::Signature;

// All causes in use: those of the taxonomy in its order, then a site's own.
std::vector<std::string> CausesOf(const RuleSet& set) {
  std::vector<std::string> causes;
  for (const rules::Cause& cause : rules::Causes())
    causes.emplace_back(cause.id);
  const std::set<std::string> known(causes.begin(), causes.end());
  std::set<std::string> own;
  for (const Rule& rule : set.rules) own.insert(rule.cause);
  for (const Signature& one : set.signatures) own.insert(one.cause);
  for (const std::string& cause : own) {
    if (!cause.empty() && !known.contains(cause)) causes.push_back(cause);
  }
  return causes;
}

std::string EntriesOf(const std::string& cause, const RuleSet& set) {
  std::string text;
  for (const Rule& rule : set.rules) {
    if (rule.cause != cause) continue;
    text += fmt::format("- rule [`{}`]({}): {}\n", rule.id, RulePageName(rule),
                        Markdown(rule.title));
  }
  // Their pages have the titles.
  std::map<std::string, std::vector<std::string>> pages;
  for (const Signature& one : set.signatures) {
    if (one.cause != cause) continue;
    pages[SignaturePageName(one)].push_back("`" + one.id + "`");
  }
  for (const auto& [page, ids] : pages) {
    text += fmt::format("- [{}]({}): {}\n", page.substr(0, page.size() - 3),
                        page, fmt::join(ids, ", "));
  }
  return text;
}

// Lines that do not name a cause: progress, versions, harmless messages.
std::string Rest(const RuleSet& set) {
  std::map<std::string, size_t> pages;
  for (const Signature& one : set.signatures) {
    if (one.cause.empty()) ++pages[SignaturePageName(one)];
  }
  std::string text;
  for (const auto& [page, count] : pages) {
    text += fmt::format("- [{}]({}): {}\n", page.substr(0, page.size() - 3),
                        page, count);
  }
  return text;
}

std::string Index(const RuleSet& set) {
  std::string text = fmt::format(
      "{}\n# The rules, by cause\n\n{} rules in SQL, {} signatures, [{} "
      "relations](relations.md). How they are written: [../rule-format.md]"
      "(../rule-format.md).\n",
      kPageMark, set.rules.size(), set.signatures.size(), set.relations.size());
  for (const std::string& cause : CausesOf(set)) {
    const std::string entries = EntriesOf(cause, set);
    if (entries.empty()) continue;
    const rules::Cause* known = rules::FindCause(cause);
    text += fmt::format("\n## {}\n\n", cause);
    if (known != nullptr)
      text += Markdown(std::string(known->meaning)) + "\n\n";
    text += entries;
  }
  return text +
         "\n## Lines that name no cause\n\nProgress, versions, advice, "
         "and what healthy runs say too.\n\n" +
         Rest(set);
}

}  // namespace

std::map<std::string, std::string> RulePages(const RuleSet& set) {
  std::map<std::string, std::string> pages;
  std::map<std::string, std::vector<const Signature*>> files;
  pages["README.md"] = Index(set);
  pages["relations.md"] = RelationsPage(set);
  for (const Rule& rule : set.rules) {
    pages[RulePageName(rule)] = RulePage(rule);
  }
  for (const Signature& one : set.signatures) {
    files[SignaturePageName(one)].push_back(&one);
  }
  for (const auto& [name, all] : files) pages[name] = SignaturePage(all);
  return pages;
}

}  // namespace inquest::authoring
