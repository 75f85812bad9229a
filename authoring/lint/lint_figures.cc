// SPDX-License-Identifier: Apache-2.0
// Checks messages for figures that a matched line may not have: they are
// printed as "?".

#include "analyzer/rules/model/message_fields.h"
#include "authoring/lint/lint.h"

namespace inquest::authoring {
namespace {

using Level = Diagnostic::Level;

// What lines below a refusal may add, and what a code is looked up for.
bool MayComeLater(const rules::Signature& signature, std::string_view name) {
  return (signature.fact == "oom" && name.ends_with("_bytes")) ||
         (signature.codes != nullptr &&
          (name.starts_with("error_") || name == signature.code));
}

bool Captures(const rules::Pattern& pattern, const std::string& name) {
  return pattern.re2.find("(?P<" + name + ">") != std::string::npos;
}

// The message without its parts in brackets; `nested`: one is in another.
std::string OutsideBrackets(std::string_view message, bool* nested) {
  std::string text;
  size_t at = 0;
  for (auto part = rules::NextPart(message, 0); part;
       part = rules::NextPart(message, at)) {
    text += message.substr(at, part->begin - at);
    *nested |= part->inside.find('[') != part->inside.npos;
    at = part->end;
  }
  return text + std::string(message.substr(at));
}

void LintMessage(const LintSubject& subject, const rules::Signature& signature,
                 Diagnostics* diagnostics) {
  bool nested = false;
  const std::string bare = OutsideBrackets(signature.message, &nested);
  if (nested) {
    diagnostics->push_back(Remark(
        subject, Level::kWarning, signature.place, "R085",
        "the message of '" + signature.id + "' has a bracket within a bracket",
        "a part ends at the first ']', so the inner bracket is printed",
        "write the parts one after the other"));
  }
  for (const std::string& name : rules::FieldsOf(bare)) {
    if (signature.set.Contains(name) || MayComeLater(signature, name)) continue;
    for (const rules::Pattern& pattern : signature.patterns) {
      if (Captures(pattern, name)) continue;
      diagnostics->push_back(Remark(
          subject, Level::kWarning, pattern.place, "R084",
          "this pattern of '" + signature.id + "' does not capture {" + name +
              "}, which the message needs",
          "the message of such a line has '?' in its place",
          "put {" + name + "} and its words in [brackets], or capture it"));
    }
  }
}

}  // namespace

void LintFigures(const LintSubject& subject, Diagnostics* diagnostics) {
  for (const rules::Signature& signature : subject.set.signatures) {
    LintMessage(subject, signature, diagnostics);
  }
}

}  // namespace inquest::authoring
