// SPDX-License-Identifier: Apache-2.0
// The reference pages of a rule pack in Markdown: one for each SQL rule, one
// for each file of signatures, one of the relations, and an index by cause.
// Made from the loaded rules, so they always agree with them. Called by
// `inquest rules docs`, which `cmake --install` runs.
#pragma once

#include <map>
#include <string>

#include "analyzer/rules/model/rule_model.h"

namespace inquest::authoring {

// The first line of every page; only such files are replaced or removed.
inline constexpr char kPageMark[] = "<!-- Made by `inquest rules docs`. -->\n";

// File name -> its text.
std::map<std::string, std::string> RulePages(const rules::RuleSet& set);

// The parts. A page's name is the name of its file.
std::string RulePage(const rules::Rule& rule);
std::string RulePageName(const rules::Rule& rule);
std::string SignaturePageName(const rules::Signature& signature);
std::string RelationsPage(const rules::RuleSet& set);
std::string SignaturePage(const std::vector<const rules::Signature*>& all);

// Escapes text for Markdown, on one line.
std::string Markdown(const std::string& text);
std::string FixesOf(const std::vector<rules::Fix>& fixes);
// Where the entry is defined, without a line: lines change with every edit.
std::string FileOf(const rules::Place& place);

}  // namespace inquest::authoring
