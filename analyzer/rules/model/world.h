// SPDX-License-Identifier: Apache-2.0
// Vendors of accelerators, platforms and phases of a program: rules/world.yaml,
// embedded in the program. Says which steps can act where, and what frames of a
// traceback prove. Used by the loader for the words of `when`, by findings to
// leave out steps of another world, and by facts for what a program was doing.
// It does not say which world a run is in; findings/collect/run_world.h does.
// Read once; any thread may read.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace inquest::rules {

// Names may end in '*'.
struct World {
  std::string id;                      // as in `when`
  std::string device;                  // what its users call one accelerator
  std::vector<std::string> rules;      // that are about this vendor alone
  std::vector<std::string> libraries;  // that its programs have mapped
  std::vector<std::string> commands;   // programs, variables, paths, calls
  std::vector<std::string> texts;      // its alone, in a step's text
  std::vector<std::string> alike;      // its, but not its alone
  std::vector<std::string> lacks;      // what a platform cannot start
  std::vector<std::string> strange;    // what it has not, in a step's text
  std::vector<std::pair<std::string, std::string>> instead;  // in commands
  std::vector<std::pair<std::string, std::string>> said;     // in steps' texts
  std::vector<std::pair<std::string, std::string>> words;
};

struct Phase {
  std::string id;
  std::string words;                // "while the model was loaded"
  std::vector<std::string> frames;  // FUNCTION, PATH:FUNCTION or PATH/*
};

struct Worlds {
  std::vector<World> vendors, platforms;
  std::vector<World> settings;  // by the names of figures of settings.*
  std::vector<Phase> phases;
};
// All of them. Read from the text, unless an image (image.h) brought them.
const Worlds& TheWorlds();
// Only before the first use of any.
void BringWorlds(Worlds worlds);

const std::vector<World>& Vendors();
const std::vector<World>& Platforms();
const std::vector<World>& Settings();
const World* FindVendor(std::string_view id);  // null: none

// The phase of which the most telling of these frames is; null if none tells.
struct FrameName {
  std::string_view file;
  std::string_view function;
};
const Phase* PhaseOf(const std::vector<FrameName>& frames);
const Phase* FindPhase(std::string_view id);  // null: none

// "nvidia-smi" of "nvidia-*".
bool IsOf(std::string_view name, const std::vector<std::string>& names);

// A word of a command, without what it is set to.
struct CommandWord {
  std::string_view text;
  bool starts = false;  // a program, not an argument
};
std::vector<CommandWord> WordsOfCommand(std::string_view command);

// The command, or the text of a step, as that world takes it.
std::string SayIn(const World& world, std::string command);
std::string SayTextIn(const World& world, std::string text);

// The file as it is embedded.
std::string_view WorldText();

}  // namespace inquest::rules
