// SPDX-License-Identifier: Apache-2.0
#include "analyzer/findings/collect/run_world.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace inquest::findings {
namespace {

using rules::World;

constexpr char kAssumed[] = "nvidia";

// Whether the text has one of the words, not as a part of a longer one. A word
// that ends in a digit may go on: "CUDA 12".
bool HasWord(std::string_view text, const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    for (size_t at = text.find(word); at != text.npos;
         at = text.find(word, at + 1)) {
      if (at == 0 || !IsWordCharacter(text[at - 1])) return true;
    }
    return false;
  });
}

// Replaces whole words outside of quotes.
std::string Said(const std::string& text, const std::string& from,
                 const std::string& to) {
  std::string said;
  bool quoted = false;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '"') quoted = !quoted;
    const bool begins = at == 0 || !IsWordCharacter(text[at - 1]);
    const size_t end = at + from.size();
    const bool ends = end >= text.size() || !IsWordCharacter(text[end]);
    if (!quoted && begins && ends && text.compare(at, from.size(), from) == 0) {
      said += to;
      at = end;
    } else {
      said += text[at++];
    }
  }
  return said;
}

bool CanStart(const World& platform, const rules::CommandWord& word) {
  const bool anywhere =
      word.text.starts_with('/') || std::ranges::any_of(word.text, IsUpper);
  return !(word.starts || anywhere) || !rules::IsOf(word.text, platform.lacks);
}

}  // namespace

Expected<RunWorld> RunWorld::Read(facts::Store* store) {
  RunWorld world;
  std::set<std::string> platforms, settings;
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare("SELECT DISTINCT signature FROM log_event WHERE "
                          "signature GLOB 'vendor.*' OR "
                          "signature GLOB 'platform.*'"));
  for (std::string id; row.Next(&id);) {
    const size_t dot = id.find('.');
    auto& seen = id.starts_with('v') ? world.vendors_ : platforms;
    seen.insert(id.substr(dot + 1));
  }
  RETURN_IF_ERROR(row.status());
  ASSIGN_OR_RETURN(
      row, store->db().Prepare(
               "SELECT DISTINCT key FROM log_event, json_each(figures) WHERE "
               "signature GLOB 'settings.*' AND json_each.value"));
  for (std::string setting; row.Next(&setting);) {
    settings.insert(setting);
  }
  RETURN_IF_ERROR(row.status());
  ASSIGN_OR_RETURN(row,
                   store->db().Prepare("SELECT DISTINCT name FROM library"));
  for (std::string name; row.Next(&name);) {
    for (const World& vendor : rules::Vendors()) {
      if (rules::IsOf(name, vendor.libraries)) world.vendors_.insert(vendor.id);
    }
  }
  RETURN_IF_ERROR(row.status());
  for (const World& one : rules::Platforms()) {
    if (platforms.contains(one.id)) world.places_.push_back(&one);
  }
  for (const World& one : rules::Settings()) {
    if (settings.contains(one.id)) world.places_.push_back(&one);
  }
  return world;
}

bool RunWorld::IsOn(const std::string& place) const {
  return std::ranges::find(places_, place, &World::id) != places_.end();
}

bool RunWorld::IsWorld(const std::string& word) {
  return rules::FindVendor(word) != nullptr ||
         std::ranges::find(rules::Platforms(), word, &World::id) !=
             rules::Platforms().end();
}

std::set<std::string> RunWorld::VendorsOf(const Finding& finding) const {
  for (const World& vendor : rules::Vendors()) {
    if (rules::IsOf(finding.rule, vendor.rules)) return {vendor.id};
  }
  return vendors_.empty() ? std::set<std::string>{kAssumed} : vendors_;
}

const World* RunWorld::OnlyVendor(const Finding& finding) const {
  const std::set<std::string> vendors = VendorsOf(finding);
  return vendors.size() == 1 ? rules::FindVendor(*vendors.begin()) : nullptr;
}

bool RunWorld::Holds(const std::string& word, const Finding& finding) const {
  return IsOn(word) || VendorsOf(finding).contains(word);
}

bool RunWorld::CanAct(const rules::Fix& fix, const Finding& finding,
                      bool translated) const {
  const std::set<std::string> vendors = VendorsOf(finding);
  bool text_of_others = false, text_of_ours = false;
  for (const World& vendor : rules::Vendors()) {
    const bool ours = vendors.contains(vendor.id);
    const bool named = HasWord(fix.text, vendor.texts);
    text_of_others |= named && !ours;
    text_of_ours |= ours && (named || HasWord(fix.text, vendor.alike));
  }
  const auto is_strange = [&](const World* place) {
    return HasWord(fix.text, place->strange);
  };
  if (std::ranges::any_of(places_, is_strange)) return false;
  for (const rules::CommandWord& word : rules::WordsOfCommand(fix.command)) {
    bool of_a_vendor = false, ours = false;
    for (const World& vendor : rules::Vendors()) {
      if (!rules::IsOf(word.text, vendor.commands)) continue;
      of_a_vendor = true;
      ours |= vendors.contains(vendor.id);
    }
    if (of_a_vendor && !ours) return false;
    for (const World* place : places_) {
      if (!CanStart(*place, word)) return false;
    }
    text_of_ours |= ours && !translated;
  }
  return text_of_ours || !text_of_others;
}

void RunWorld::SayStep(const Finding& finding, rules::Fix* fix) const {
  const World* vendor = OnlyVendor(finding);
  if (vendor != nullptr && !fix->command.empty()) {
    fix->command = rules::SayIn(*vendor, fix->command);
  }
  for (const World* place : places_) {
    fix->text = rules::SayTextIn(*place, fix->text);
    if (fix->command.empty()) continue;
    fix->command = rules::SayIn(*place, fix->command);
  }
}

void RunWorld::SayWords(Finding* finding) const {
  const World* vendor = OnlyVendor(*finding);
  if (vendor == nullptr) return;
  for (const auto& [from, to] : vendor->words) {
    finding->title = Said(finding->title, from, to);
    finding->message = Said(finding->message, from, to);
  }
}

}  // namespace inquest::findings
