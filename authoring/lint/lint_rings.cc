// SPDX-License-Identifier: Apache-2.0
// Rings of `explains`: findings that would each explain the other, so that the
// order of layers decides the root instead of evidence.

#include "authoring/lint/lint.h"
#include "authoring/lint/relation_graph.h"

namespace inquest::authoring {

void LintRings(const LintSubject& subject, Diagnostics* diagnostics) {
  const RelationGraph graph(subject.set);
  if (!graph.whole()) {
    diagnostics->push_back(Remark(
        subject, Diagnostic::Level::kWarning, {}, "R004",
        "the relations connect too many findings to search for all rings", "",
        "name ids or causes instead of '*'"));
  }
  for (const Ring& ring : graph.Rings()) {
    std::string path;
    std::string places;
    for (size_t i = 0; i < ring.ids.size(); ++i) {
      const rules::Place& place = ring.relations[i]->place;
      path += ring.ids[i] + " → ";
      places +=
          (i > 0 ? ", " : "") + place.file + ":" + std::to_string(place.line);
    }
    path += ring.ids.front();
    diagnostics->push_back(Remark(
        subject, Diagnostic::Level::kWarning, ring.relations.front()->place,
        "R075", "explanations form a ring: " + path, "by " + places,
        "remove `order: any`, name ids instead of a cause, or narrow the "
        "scope; in a ring the lowest layer wins, not the first event"));
  }
}

}  // namespace inquest::authoring
