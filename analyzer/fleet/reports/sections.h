// SPDX-License-Identifier: Apache-2.0
// The questions of `inquest fleet report` and their answers. Each is a file of
// sql/queries, which the program carries; its first comments are the title and
// the note that is printed. A site's own .sql files join in.
#pragma once

#include <string>
#include <vector>

#include "analyzer/fleet/store/fleet_database.h"

namespace inquest::fleet {

struct Question {
  std::string id;     // name of the file without .sql
  std::string title;  // "-- title: …"
  std::string note;   // "-- note: …"
  std::string sql;
};

struct Section {
  Question question;
  Rows answer;
};

std::vector<Question> BuiltInQuestions();
// A file's text; without a title the id stands for it.
Question ReadQuestion(const std::string& id, const std::string& text);

struct Scope {
  int64_t since = 0;  // $1: nanoseconds since 1970; runs without a time count
  int64_t rows = 10;  // $2
};

// The parameters are given as far as the statement has them.
Expected<Section> Answer(FleetDatabase* db, const Question& question,
                         const Scope& scope);

}  // namespace inquest::fleet
