#include "analyzer/rules/loader_codes.h"

namespace inquest::rules {

// One row a code; the long text is what `rules lint --explain CODE` shows.
const std::vector<RuleCode>& RuleCodes() {
  static const std::vector<RuleCode> codes = {
      {"R002", "not YAML",
       "The text cannot be parsed as YAML in UTF-8. Usual reasons: a tab in "
       "the "
       "indentation, a value with ': ' or a leading special character without "
       "quotes, a backslash in double quotes."},
      {"R003", "a part of YAML that rule files do without",
       "Anchors, aliases, tags, keys that are no words, keys that stand twice "
       "and second documents are refused: they make files that mean something "
       "other than what a reader sees."},
      {"R004", "a limit was exceeded",
       "Rule files are bounded in bytes, values and depth, so that a file from "
       "a stranger cannot exhaust the machine."},
      {"R005", "written for other facts",
       "The first line `facts: N` names the version of the fact views a file "
       "was written for. This program does not know that version."},
      {"R006", "two versions of one pack",
       "Files that name the same pack give it different versions. One file of "
       "a pack is enough to state it."},
      {"R010", "unknown key",
       "A misspelt key would silently do nothing, so every unknown key is an "
       "error. docs/rule-format.md lists them all."},
      {"R011", "missing key", "A key that the entry cannot do without."},
      {"R012", "wrong type",
       "The value is of another kind than the key asks for. Texts that look "
       "like numbers or booleans need quotes."},
      {"R013", "unknown word",
       "The key takes one of a few words, and this is none of them."},
      {"R014", "not an id",
       "Ids are stable names: small letters, digits, '_' and '-', with dots "
       "between the parts. Reports, relations and tests refer to them."},
      {"R015", "id used twice",
       "Signatures and rules share one set of ids. A later file may replace an "
       "entry of an earlier one; two in one file, or a rule and a signature, "
       "may not share an id."},
      {"R016", "override of nothing",
       "An entry under `overrides` changes fields of a rule or signature that "
       "an earlier file defines: files of one folder are read sorted by path, "
       "folders in the order given, the built-in pack first."},
      {"R017", "not for signatures",
       "Exceptions and limits speak of the rows of a rule's SQL; signatures "
       "have none."},
      {"R020", "not a cause",
       "A cause is the id of a cause of death: area/name, none or unknown."},
      {"R021", "cause outside the taxonomy",
       "The id has the right form but is not in the table that relations and "
       "reports know. New causes are allowed; a misspelt one is not meant."},
      {"R030", "not an RE2 expression",
       "The pattern cannot be compiled. The caret shows the piece that RE2 "
       "stumbled over."},
      {"R031", "a construct that RE2 leaves out",
       "Look-ahead, look-behind, back-references, atomic groups and possessive "
       "quantifiers are absent on purpose: without them a pattern takes time "
       "linear in the line, whatever the line holds."},
      {"R032", "type of nothing",
       "`types` names a capture that the pattern does not have."},
      {"R033", "set and captured",
       "A figure comes either from the line or from `set`, not from both."},
      {"R034", "matches every line",
       "A pattern that is satisfied by an empty line is satisfied by all."},
      {"R035", "message names an unknown figure",
       "{figure} in a message must be a capture, a constant of `set`, or one "
       "of rank, pid, host, device; {figure|format} takes bytes, count, time, "
       "duration."},
      {"R040", "sample does not match",
       "Every line under samples/match must be matched by the pattern. Samples "
       "are lines after their prefixes were taken off."},
      {"R041", "sample gives other figures",
       "The figures named beside a sample must come out as written there; "
       "sizes are whole bytes, milliseconds whole numbers."},
      {"R042", "matches what it must not",
       "A line under samples/no_match is matched. These lines are the "
       "look-alikes that once led to a false verdict."},
      {"R043", "no samples",
       "Every signature shows at least one line that it matches."},
      {"R050", "relation to nothing",
       "An end of the relation stands for no cause, rule or signature, so the "
       "relation could never hold."},
      {"R051", "not a length of time", "A number with its unit: 60s, 30min."},
      {"R060", "replaces an earlier entry",
       "A later file defines an id again. The later one counts."},
  };
  return codes;
}

const RuleCode* FindRuleCode(std::string_view code) {
  for (const RuleCode& one : RuleCodes()) {
    if (one.code == code) return &one;
  }
  return nullptr;
}

}  // namespace inquest::rules
