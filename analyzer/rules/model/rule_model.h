// SPDX-License-Identifier: Apache-2.0
// The contents of rule files as plain data: signatures, rules and relations as
// docs/rule-format.md describes them. Made by the loader, read by the log
// scanner and the engine; independent of YAML and SQL. Strings are UTF-8.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/rules/model/literals.h"
#include "base/figures.h"

namespace re2 {
class RE2;
}

namespace inquest::rules {

// A place in a rule file; lines and columns from 1.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

enum class Role : uint8_t {
  kCause,
  kSymptom,
  kConfirm,
  kContext,
  kProgress,
  kMilestone,
  kFinish,
  kAdvice,
  kBenign,
  kSuspect,
  kNote,  // rules only
};
enum class Severity : uint8_t { kNote, kWarning, kError };
enum class Confidence : uint8_t { kPossible, kProbable, kConfirmed };
enum class Stage : uint8_t { kExperimental, kStable, kDeprecated };
enum class CaptureType : uint8_t {
  kString,
  kBytes,
  kInteger,
  kHex,
  kReal,
  kMilliseconds,
  kVersion,
  kList,
};

// Which fields of an entry a later file's `overrides:` have set, and where.
using Overridden = std::map<std::string, Place>;

// Holds if the figure is one of the values or, without values, if it is neither
// empty nor 0.
struct Condition {
  std::string figure;
  std::vector<std::string> values;
};

struct Fix {
  std::string text;
  std::string command;            // may be empty
  std::vector<std::string> when;  // framework, vendor, platform; empty: all
  std::string action;             // kind of step, empty: not given
  std::string url;
  std::vector<Condition> applies_if;  // all of them must hold
  std::vector<Condition> unless;      // none of them may hold
};

struct Sample {
  std::string line;
  Figures figures;  // expected captures
  Place place;
};

// One of the forms of a line that a signature recognises.
struct Pattern {
  std::string text;              // the file's, with its fragments inserted
  std::string re2;               // the expanded expression
  size_t length = 0;             // in the file, in characters
  std::optional<Sample> sample;  // a line that this form must match
  Place place;
  // Results that are kept for later: the expression until its samples are
  // tested, and what each matching line has.
  std::shared_ptr<const re2::RE2> compiled;
  std::optional<Literals> literals;
};

class Codes;

struct Signature {
  std::string id;
  std::vector<std::string> aliases;  // former ids
  std::string source = "any";
  std::vector<Pattern> patterns;  // the first that matches gives the figures
  std::map<std::string, CaptureType> types;
  // Lines that also match this are ignored. RE2 cannot express that in the
  // pattern.
  std::optional<Pattern> unless;
  Figures set;  // figures that every match has
  // A vocabulary in which captures are looked up, and the figure for the name
  // found; null: the signature names its cause itself.
  std::shared_ptr<const Codes> codes;
  std::string code;
  bool repeat = false;
  Role role = Role::kContext;
  std::string cause;
  std::string fact;
  Severity severity = Severity::kError;
  Stage status = Stage::kStable;
  std::string title;
  std::string message;
  std::vector<Fix> fix;
  std::vector<std::string> references;
  std::vector<std::string> falsepositives;
  std::vector<Sample> match;
  std::vector<Sample> no_match;
  std::string pack;
  bool disabled = false;
  Overridden overridden;
  Place place;
};

// All lines that its samples say it matches.
inline std::vector<std::string> SampleLines(const Signature& signature) {
  std::vector<std::string> lines;
  for (const Pattern& pattern : signature.patterns) {
    if (pattern.sample) lines.push_back(pattern.sample->line);
  }
  for (const Sample& sample : signature.match) lines.push_back(sample.line);
  return lines;
}

// Rows that a rule leaves out: those that match one of the tuples, each of
// columns with a value or a list of alternatives.
struct Exception {
  std::string name;
  std::vector<Figures> tuples;
};

struct Rule {
  std::string id;
  std::vector<std::string> aliases;  // former ids
  std::string title;
  std::string cause;
  Role role = Role::kCause;
  Severity severity = Severity::kError;
  Stage status = Stage::kStable;
  Confidence confidence = Confidence::kProbable;
  // Facts that must have rows, and "id:GLOB" of signatures that must have
  // matched a line: all of them.
  std::vector<std::string> needs;
  std::vector<std::vector<std::string>> needs_any;  // of each list at least one
  std::string sql;
  std::string confirm;
  std::string refute;
  std::string message;
  std::vector<Fix> fix;
  std::vector<std::string> references;
  std::vector<std::string> falsepositives;
  std::vector<Exception> exceptions;
  int64_t max_rows = 0;          // 0: the default
  int64_t max_milliseconds = 0;  // 0: the default
  std::string pack;
  bool disabled = false;
  Overridden overridden;
  Place place;
  Place sql_place;
};

// Before the id, or a glob of ids, of a rule or signature, where causes or
// facts may stand as well.
inline constexpr std::string_view kIdMark = "id:";

struct Relation {
  enum class Kind : uint8_t { kExplains, kRefines, kExcludes };
  // kElsewhere: two ranks or hosts that are known and differ.
  enum class Scope : uint8_t {
    kEvent,
    kProcess,
    kDevice,
    kNode,
    kJob,
    kElsewhere
  };
  std::vector<std::string> from;
  std::vector<std::string> to;
  Kind kind = Kind::kExplains;
  Scope scope = Scope::kProcess;
  bool any_order = false;
  int64_t within_ns = 0;          // 0: no limit
  std::vector<std::string> same;  // figures that must not differ
  std::string why;
  Place place;
};

// What a file says about its pack.
struct Pack {
  std::string name;
  std::string version;  // empty: the file does not say
  int64_t facts = 0;    // the version of the facts that it needs
  Place place;
};

// Former id -> current id, of rules and signatures.
using Aliases = std::map<std::string, std::string, std::less<>>;

struct RuleSet {
  std::vector<Signature> signatures;
  std::vector<Rule> rules;
  std::vector<Relation> relations;
  // Disabled by an override: they are shown, never applied.
  std::vector<Signature> disabled_signatures;
  std::vector<Rule> disabled_rules;
  Aliases aliases;
  std::vector<Pack> packs;  // one for each file, in the order of loading
};

}  // namespace inquest::rules
