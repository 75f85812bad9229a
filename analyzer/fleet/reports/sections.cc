// SPDX-License-Identifier: Apache-2.0
#include "analyzer/fleet/reports/sections.h"

#include <string_view>

#include "base/text.h"
#include "fleet_queries.h"

namespace inquest::fleet {
namespace {

// The rest of the first line that begins so.
std::string After(std::string_view text, std::string_view mark) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(mark))
      return std::string(Trim(line.substr(mark.size())));
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
  }
  return {};
}

}  // namespace

Question ReadQuestion(const std::string& id, const std::string& text) {
  Question question = {id, After(text, "-- title:"), After(text, "-- note:"),
                       text};
  if (question.title.empty()) question.title = id;
  return question;
}

std::vector<Question> BuiltInQuestions() {
  std::vector<Question> all;
  for (const auto& file : queries::Files()) {
    const std::string_view id = file.name.substr(0, file.name.rfind('.'));
    all.push_back(ReadQuestion(std::string(id), std::string(file.text)));
  }
  return all;
}

Expected<Section> Answer(FleetDatabase* db, const Question& question,
                         const Scope& scope) {
  Fields values;
  if (question.sql.find("$1") != std::string::npos) {
    values.emplace_back(scope.since);
  }
  if (question.sql.find("$2") != std::string::npos) {
    values.emplace_back(scope.rows);
  }
  auto answer = db->Query(question.sql, values);
  if (!answer.ok()) {
    return Unreadable("the question '" + question.id +
                      "' failed: " + answer.status().message());
  }
  return Section{question, answer.Take()};
}

}  // namespace inquest::fleet
