// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/load/loader_codes.h"

namespace inquest::rules {

// One row for each code; `rules lint --explain CODE` shows the long text.
const std::vector<RuleCode>& RuleCodes() {
  static const std::vector<RuleCode> codes = {
      {"R002", "not YAML",
       "The text cannot be parsed as YAML in UTF-8. Usual reasons: a tab in "
       "the "
       "indentation, a value with ': ' or a leading special character without "
       "quotes, a backslash in double quotes."},
      {"R003", "a part of YAML that rule files do not use",
       "Anchors, aliases, tags, keys that are not words, duplicate keys and "
       "second documents are refused: with them a file can mean something "
       "other than what a reader sees."},
      {"R004", "a limit was exceeded",
       "Rule files are bounded in bytes, values and depth, so that an "
       "untrusted file cannot exhaust the machine."},
      {"R005", "written for other facts",
       "The first line `facts: N` names the version of the fact views a file "
       "was written for. This program does not know that version."},
      {"R006", "two versions of one pack",
       "Files that name the same pack give it different versions. One file of "
       "a pack is enough to state it."},
      {"R007", "a file that was not read",
       "A link in a folder of rules may lead only to files of that folder. A "
       "pack from elsewhere could otherwise make messages quote any file that "
       "you can read."},
      {"R010", "unknown key",
       "A misspelt key would silently do nothing, so every unknown key is an "
       "error. docs/rule-format.md lists them all."},
      {"R011", "missing key", "The entry needs this key."},
      {"R012", "wrong type",
       "The value does not have the type of the key. Texts that look like "
       "numbers or booleans need quotes."},
      {"R013", "unknown word",
       "The key takes one of a few words, and this is not one of them."},
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
       "Exceptions and limits apply to the rows of a rule's SQL; signatures "
       "have no rows."},
      {"R018", "alias that is taken",
       "`aliases` lists former ids of the entry. None may be the id, or an "
       "alias, of another rule or signature."},
      {"R020", "not a cause",
       "A cause is an id of the form area/name, or none or unknown."},
      {"R021", "cause outside the taxonomy",
       "The id has the right form but is not in the table that relations and "
       "reports know. New causes are allowed; this one may be misspelt."},
      {"R030", "not an RE2 expression",
       "The pattern cannot be compiled. The caret shows the piece that RE2 "
       "does not accept."},
      {"R031", "a construct that RE2 leaves out",
       "Look-ahead, look-behind, back-references, atomic groups and possessive "
       "quantifiers are absent on purpose: without them a pattern takes time "
       "linear in the length of any line."},
      {"R032", "type without a capture",
       "`types` names a capture that the pattern does not have."},
      {"R033", "set and captured",
       "A figure comes either from the line or from `set`, not from both."},
      {"R034", "matches every line",
       "A pattern that matches an empty line matches every line."},
      {"R035", "message names an unknown figure",
       "{figure} in a message must be a capture, a constant of `set`, or one "
       "of rank, pid, host, device; {figure|format} takes bytes, count, time, "
       "duration."},
      {"R036", "unknown column",
       "A rule's message, fixes, exceptions and the :parameters of confirm and "
       "refute name columns that its SELECT returns. A missing column prints "
       "as '?' in a message and is NULL as a parameter."},
      {"R037", "two types of one figure",
       "A capture is written {name:bytes} and has another type under `types` "
       "or in another pattern of the list. A figure has one type."},
      {"R038", "unknown kind of capture",
       "{name:kind} in a pattern is a capture with the usual expression of its "
       "kind: docs/rule-format.md lists the kinds, and a file adds its own "
       "under `fragments`. A brace that is meant as text is written \\{."},
      {"R039", "fragment with the name of a kind",
       "A file's fragments are used like kinds, {name:kind} or {:kind}, so "
       "their names cannot be bytes, integer or another kind."},
      {"R040", "sample does not match",
       "Every line under samples/match must be matched by the pattern. Samples "
       "are lines without their prefixes."},
      {"R041", "sample gives other figures",
       "The figures named beside a sample must come out as written there; "
       "sizes are whole bytes, milliseconds whole numbers."},
      {"R042", "matches what it must not",
       "A line under samples/no_match is matched. These lines are look-alikes "
       "that would lead to a false verdict."},
      {"R043", "no samples",
       "Every signature shows at least one line that it matches."},
      {"R044", "SQL does not compile",
       "The statement is compiled against the fact views, with the rights that "
       "it has when it runs: one SELECT, only the facts, functions of an "
       "allow-list. `inquest facts list` shows the views, `facts show` their "
       "columns."},
      {"R045", "sample of another pattern",
       "The sample beside a pattern of a list is a line that this pattern "
       "matches. Patterns are tried in order, and an earlier one matches this "
       "line, so that this pattern never sees it."},
      {"R050", "relation to something unknown",
       "An end of the relation is not a known cause, rule or signature, so the "
       "relation could never hold."},
      {"R051", "not a length of time", "A number with its unit: 60s, 30min."},
      {"R060", "replaces an earlier entry",
       "A later file defines an id again. The later definition is used."},
      {"R061", "allow without use",
       "A comment '# inquest: allow CODE why' silences a warning in the entry "
       "that it is in or above, or in the whole file if it is above the first "
       "entry. It needs a reason, and it must silence something."},
      {"R070", "tried on every line",
       "A line is skipped unless it has the fixed text of some pattern; a "
       "pattern without four fixed letters is tried on every line of every "
       "log, which slows reading down."},
      {"R071", "tried on every ordinary line",
       "The only fixed text of the pattern is a word that ordinary lines also "
       "have ('error', 'step'), so it is tried on most lines."},
      {"R072", "relation that never holds",
       "An end names a cause or ids that no rule and no signature of role "
       "cause or symptom reports, so the relation has no effect."},
      {"R073", "meaningless relation",
       "The relation leads from a finding to itself, or limits the time "
       "between findings of one event."},
      {"R074", "shadowed relation",
       "An earlier relation of the same kind always holds when this one does, "
       "so this one is never quoted."},
      {"R075", "ring of explanations",
       "Following `explains` from a finding leads back to it. The root is then "
       "decided by the order of layers, not by evidence. This check ignores "
       "order and time, so a ring that time breaks may be allowed with a "
       "comment."},
      {"R076", "rule without a test",
       "Rules are tested by the .test.yaml beside their file: one case in "
       "which the rule fires, one in which it does not. `inquest rules test` "
       "runs them."},
      {"R077", "comparison with what may be NULL",
       "Columns marked with '?' in `inquest facts show` can be NULL, and a "
       "comparison with NULL is neither true nor false: the row drops out. For "
       "= and < that is usually intended and only a note; for <> and NOT IN it "
       "is usually a mistake and a warning."},
      {"R078", "deprecated entry in use",
       "A relation names only deprecated rules or signatures, which will be "
       "removed."},
      {"R079", "title without a capital",
       "Titles begin with a capital letter, except for names that are spelt "
       "differently (cuDNN, libcudnn.so)."},
      {"R080", "no look-alike",
       "Every signature that names a cause shows at least one line that it "
       "must not match: the most similar line of a healthy run, or of another "
       "failure."},
      {"R081", "unfinished draft",
       "`rules new` writes a skeleton in which the author writes cause, title "
       "and fix."},
      {"R082", "signature that does not exist",
       "A rule's SQL compares the column 'signature' with an id that no "
       "signature has. SQLite accepts any text; the rule never fires."},
      {"R083", "long pattern",
       "A pattern of more than 160 characters is hard to read and to change. "
       "Write its alternatives as a list, each with its sample, captures of "
       "common kinds as {name:bytes}, and what patterns share under "
       "`fragments`."},
      {"R084", "figure that not every pattern has",
       "A message names a figure outside of brackets that one of the "
       "signature's patterns does not capture: what that pattern matches is "
       "told with a '?'."},
      {"R085", "bracket within a bracket",
       "A part of a message in brackets ends at the first ']'. What depends "
       "on two figures is written as two parts, one after the other."},
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
