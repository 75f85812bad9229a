// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/loader_codes.h"

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
      {"R018", "alias that is taken",
       "`aliases` lists ids that the entry had before. None may be the id, or "
       "an alias, of another rule or signature."},
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
      {"R036", "asks for a column that is not there",
       "A rule's message, fixes, exceptions and the :parameters of confirm and "
       "refute speak of columns that its SELECT returns. One that is missing "
       "prints as '?' in a message and is NULL as a parameter."},
      {"R037", "two types of one figure",
       "A capture is written {name:bytes} and typed otherwise under `types` or "
       "in another pattern of the list. A figure has one type."},
      {"R038", "unknown kind of capture",
       "{name:kind} in a pattern is a capture with the usual expression of its "
       "kind: docs/rule-format.md lists the kinds, and a file adds its own "
       "under `fragments`. A brace that is meant as text is written \\{."},
      {"R039", "fragment with the name of a kind",
       "A file's fragments are used as kinds are, {name:kind} or {:kind}, so "
       "that they cannot share a name with bytes, integer or another kind."},
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
      {"R044", "SQL does not compile",
       "The statement is compiled against the fact views, with the rights that "
       "it will have: one SELECT, the facts alone, functions of an allow-list. "
       "`inquest facts list` shows the views, `facts show` their columns."},
      {"R045", "sample of another pattern",
       "The sample beside a pattern of a list is a line that this pattern "
       "takes. Patterns are tried in their order, and an earlier one takes it "
       "already: this one is then never reached by such lines."},
      {"R050", "relation to nothing",
       "An end of the relation stands for no cause, rule or signature, so the "
       "relation could never hold."},
      {"R051", "not a length of time", "A number with its unit: 60s, 30min."},
      {"R060", "replaces an earlier entry",
       "A later file defines an id again. The later one counts."},
      {"R061", "allow without use",
       "A comment '# inquest: allow CODE why' silences a warning in the entry "
       "that it stands in or above, or in the file where it stands above the "
       "first entry. It needs a reason, and it must silence something."},
      {"R070", "tried on every line",
       "Lines are passed over by the fixed texts that patterns ask for; a "
       "pattern without one of four letters is tried on every line of every "
       "log, and slows all reading down."},
      {"R071", "tried on every ordinary line",
       "The only fixed text that the pattern asks for is a word that ordinary "
       "lines hold too ('error', 'step'), so that it is tried on most lines."},
      {"R072", "relation that never holds",
       "An end names a cause or ids that no rule and no signature of role "
       "cause or symptom reports, so the relation cannot do anything."},
      {"R073", "relation without sense",
       "The relation leads from a finding to itself, or limits the time "
       "between things that are one event."},
      {"R074", "shadowed relation",
       "An earlier relation of the same kind holds wherever this one does, so "
       "this one is never quoted."},
      {"R075", "ring of explanations",
       "Following `explains` from a finding leads back to it. Which of them is "
       "the root is then decided by the order of layers, not by what is known. "
       "Order and time are left aside here, so a ring that time keeps open may "
       "be allowed with a comment."},
      {"R076", "rule without a test",
       "Rules are tested by the .test.yaml beside their file: one case in "
       "which the rule fires, one in which it is silent. `inquest rules test` "
       "runs them."},
      {"R077", "comparison with what may be NULL",
       "Columns marked with '?' in `inquest facts show` can be NULL, and a "
       "comparison with NULL is neither true nor false: the row drops out. "
       "For = and < that is usually meant and only noted; for <> and NOT IN it "
       "is usually not, and a warning."},
      {"R078", "deprecated entry in use",
       "A relation names rules or signatures that are all deprecated and will "
       "be gone."},
      {"R079", "title without a capital",
       "Titles begin with a capital letter, unless with a name that is spelt "
       "otherwise (cuDNN, libcudnn.so)."},
      {"R080", "no look-alike",
       "Every signature that names a cause shows at least one line that it "
       "must not match: the nearest line of a healthy run, or of another "
       "death."},
      {"R081", "draft left as it was",
       "`rules new` writes a skeleton whose cause, title and fix are for the "
       "author to write."},
      {"R082", "signature that does not exist",
       "A rule's SQL compares the column 'signature' with an id that no "
       "signature bears. To SQLite that is a text like any other; the rule "
       "never fires."},
      {"R083", "long pattern",
       "A pattern of more than 160 characters is hard to read and to change. "
       "Write its alternatives as a list, each with its sample, captures of "
       "common kinds as {name:bytes}, and what patterns share under "
       "`fragments`."},
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
