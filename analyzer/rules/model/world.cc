// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/world.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analyzer/rules/load/yaml.h"
#include "base/glob.h"
#include "base/text.h"

namespace inquest::rules {
namespace {

using nlohmann::json;

std::vector<std::string> TextsIn(const json& one, const char* key) {
  return one.value(key, std::vector<std::string>());
}

std::vector<std::pair<std::string, std::string>> PairsIn(const json& one,
                                                         const char* key) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const json mapping = one.value(key, json::object());
  for (const auto& [from, to] : mapping.items()) {
    pairs.emplace_back(from, to.get<std::string>());
  }
  return pairs;
}

World WorldOf(const json& one) {
  World world;
  world.id = one.at("id");
  world.device = one.value("device", std::string("GPU"));
  world.rules = TextsIn(one, "rules");
  world.libraries = TextsIn(one, "libraries");
  world.commands = TextsIn(one, "commands");
  world.texts = TextsIn(one, "texts");
  world.alike = TextsIn(one, "alike");
  world.lacks = TextsIn(one, "lacks");
  world.strange = TextsIn(one, "strange");
  world.instead = PairsIn(one, "instead");
  world.said = PairsIn(one, "said");
  world.words = PairsIn(one, "words");
  return world;
}

// A test checks the whole file, so the built program has a correct one.
Worlds ReadWorlds() {
  YamlDocument document;
  Diagnostics unused;
  Worlds worlds;
  if (!ParseYaml("world.yaml", std::string(WorldText()), {}, &document,
                 &unused)) {
    return worlds;
  }
  for (const json& one : document.root.at("vendors")) {
    worlds.vendors.push_back(WorldOf(one));
  }
  for (const json& one : document.root.at("platforms")) {
    worlds.platforms.push_back(WorldOf(one));
  }
  for (const json& one : document.root.at("settings")) {
    worlds.settings.push_back(WorldOf(one));
  }
  for (const json& one : document.root.at("phases")) {
    worlds.phases.push_back(
        {one.at("id"), one.at("words"), TextsIn(one, "frames")});
  }
  return worlds;
}

std::optional<Worlds>& Brought() {
  static std::optional<Worlds> worlds;
  return worlds;
}

// "Model.forward" is forward, "<locals>.closure" closure.
std::string_view LastName(std::string_view function) {
  return function.substr(function.rfind('.') + 1);
}

bool Proves(std::string_view pattern, const FrameName& frame) {
  const size_t colon = pattern.find(':');
  if (colon == pattern.npos && pattern.find('/') == pattern.npos) {
    return LastName(frame.function) == pattern;
  }
  std::string_view path = pattern.substr(0, colon);
  const bool function = colon == pattern.npos ||
                        LastName(frame.function) == pattern.substr(colon + 1);
  if (!path.ends_with('*')) return function && frame.file.ends_with(path);
  path.remove_suffix(1);
  return function && frame.file.find(path) != frame.file.npos;
}

bool IsInWord(char c) {
  return IsAlpha(c) || IsDigit(c) ||
         std::string_view("_./+-%").find(c) != std::string_view::npos;
}

// After these words of a command another program follows.
bool Passes(std::string_view word) {
  return word == "sudo" || word == "export" || word == "watch" ||
         word == "env" || word == "timeout" || word.starts_with('-');
}

}  // namespace

const Worlds& TheWorlds() {
  static const Worlds worlds = Brought() ? std::move(*Brought()) : ReadWorlds();
  return worlds;
}

void BringWorlds(Worlds worlds) {
  Brought() = std::move(worlds);
}

const std::vector<World>& Vendors() {
  return TheWorlds().vendors;
}

const std::vector<World>& Platforms() {
  return TheWorlds().platforms;
}

const std::vector<World>& Settings() {
  return TheWorlds().settings;
}

const World* FindVendor(std::string_view id) {
  const auto found = std::ranges::find(Vendors(), id, &World::id);
  return found == Vendors().end() ? nullptr : &*found;
}

const Phase* PhaseOf(const std::vector<FrameName>& frames) {
  for (const Phase& phase : TheWorlds().phases) {
    for (const std::string& pattern : phase.frames) {
      for (const FrameName& frame : frames) {
        if (Proves(pattern, frame)) return &phase;
      }
    }
  }
  return nullptr;
}

const Phase* FindPhase(std::string_view id) {
  const auto& phases = TheWorlds().phases;
  const auto found = std::ranges::find(phases, id, &Phase::id);
  return found == phases.end() ? nullptr : &*found;
}

bool IsOf(std::string_view name, const std::vector<std::string>& names) {
  return std::ranges::any_of(
      names, [&](const std::string& one) { return MatchesGlob(one, name); });
}

std::vector<CommandWord> WordsOfCommand(std::string_view command) {
  std::vector<CommandWord> words;
  bool starts = true;
  for (size_t at = 0; at < command.size();) {
    const char c = command[at];
    if (c == '#' && (at == 0 || command[at - 1] == ' ')) break;
    if (!IsInWord(c)) {
      starts |= c == ';' || c == '|' || c == '&' || c == '(';
      ++at;
      continue;
    }
    size_t end = at;
    while (end < command.size() && IsInWord(command[end])) ++end;
    const std::string_view word = command.substr(at, end - at);
    words.push_back({word, starts});
    at = end;
    const bool is_set = at < command.size() && command[at] == '=';
    if (is_set) at = std::min(command.find_first_of(" ;", at), command.size());
    starts = starts && (is_set || Passes(word));
  }
  return words;
}

std::string SayIn(const World& world, std::string command) {
  for (const auto& [from, to] : world.instead) {
    if (!from.ends_with('*')) {
      ReplaceAll(&command, from, to);
    } else if (MatchesGlob(from, command)) {
      return to;
    }
  }
  return command;
}

std::string SayTextIn(const World& world, std::string text) {
  for (const auto& [from, to] : world.said) ReplaceAll(&text, from, to);
  return text;
}

}  // namespace inquest::rules
