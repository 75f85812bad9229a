// SPDX-License-Identifier: Apache-2.0
// Reads one mapping of a rule file (a signature, a rule, a fix …) by a table of
// its keys. Check() reports unknown and missing keys and wrong types; the
// getters then read without checks and return defaults for absent keys.
// Internal to the loader.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/rules/load/format.h"
#include "analyzer/rules/load/loader_report.h"
#include "analyzer/rules/load/yaml.h"

namespace inquest::rules {

class Fields {
 public:
  // `value` is the node at `pointer`; both must outlive this.
  Fields(const YamlDocument& document, std::string pointer,
         const nlohmann::json& value, Reporter* reporter);

  // `what` names the thing in messages: "a signature".
  void Check(std::span<const KeySpec> keys, std::string_view what);
  void Check(const MappingSpec& mapping) { Check(mapping.keys, mapping.said); }

  bool Has(std::string_view key) const;
  std::string Text(std::string_view key, std::string fallback = "") const;
  bool Bool(std::string_view key) const;
  int64_t Number(std::string_view key) const;
  std::vector<std::string> Texts(std::string_view key) const;
  const nlohmann::json& Value(std::string_view key) const;  // null: absent
  // The mappings of a list, or the one mapping under a key.
  std::vector<Fields> Children(std::string_view key) const;
  Fields Child(std::string_view key) const;

  // Looks the word under `key` up in a table of names; `noun` is its name in
  // messages, if that is not the key.
  template <typename T, size_t N>
  T Choice(std::string_view key,
           const std::pair<std::string_view, T> (&names)[N], T fallback,
           std::string_view noun = {}) {
    if (!IsText(key)) return fallback;
    const std::string word = Text(key);
    std::vector<std::string> known;
    for (const auto& [name, value] : names) {
      if (name == word) return value;
      known.emplace_back(name);
    }
    BadChoice(key, word, known, noun.empty() ? key : noun);
    return fallback;
  }

  Place place() const { return document_.Where(pointer_); }
  Place Where(std::string_view key) const;
  Place WhereKey(std::string_view key) const;
  // An error makes the whole entry unusable, a warning does not.
  void Error(const Place& place, Complaint complaint);
  void Warning(const Place& place, Complaint complaint);
  bool failed() const { return failed_; }
  void Fail() { failed_ = true; }

  const std::string& pointer() const { return pointer_; }
  const YamlDocument& document() const { return document_; }
  const nlohmann::json& value() const { return value_; }
  Reporter* reporter() { return reporter_; }

 private:
  bool IsText(std::string_view key) const;
  void BadChoice(std::string_view key, const std::string& word,
                 const std::vector<std::string>& known, std::string_view noun);
  void CheckShape(const KeySpec& key);

  const YamlDocument& document_;
  std::string pointer_;
  const nlohmann::json& value_;
  Reporter* reporter_;
  bool failed_ = false;
};

}  // namespace inquest::rules
