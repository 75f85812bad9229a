// SPDX-License-Identifier: Apache-2.0
// `exceptions:` and `limits:`, of rules and of overrides.

#include <algorithm>

#include "analyzer/rules/load/loader_parts.h"
#include "base/figures_json.h"

namespace inquest::rules {
namespace {

using nlohmann::json;

// Turns fields: [a, b] and values: [[1, 2], [3, 4]] into a tuple for each
// value.
void ReadTuples(Fields* entry, Exception* exception) {
  const std::vector<std::string> fields = entry->Texts("fields");
  const json& values = entry->Value("values");
  for (size_t i = 0; i < values.size(); ++i) {
    const json& row = values[i];
    if (row.size() != fields.size()) {
      entry->Error(
          entry->Where("values/" + std::to_string(i)),
          {"R012",
           "'fields' names " + std::to_string(fields.size()) +
               " columns, these are " + std::to_string(row.size()) + " values",
           "", "give one value for each column"});
      return;
    }
    Figures tuple;
    for (size_t j = 0; j < fields.size(); ++j) {
      tuple[fields[j]] = ToFigure(row[j]);
    }
    exception->tuples.push_back(std::move(tuple));
  }
}

bool HasOneForm(Fields* entry) {
  const bool where = entry->Has("where");
  const bool fields = entry->Has("fields") && entry->Has("values");
  const bool half = entry->Has("fields") != entry->Has("values");
  if (where != fields && !half) return true;
  entry->Error(entry->place(),
               {"R011", "an exception needs 'where', or 'fields' and 'values'",
                where ? "it has both" : "",
                "where: {column: value}, or fields: [a, b] and values: [[1, "
                "2]]"});
  return false;
}

}  // namespace

std::vector<Exception> ReadExceptions(Fields* fields) {
  std::vector<Exception> exceptions;
  for (Fields& entry : fields->Children("exceptions")) {
    entry.Check(ExceptionFormat());
    Exception exception{entry.Text("name"), {}};
    if (!entry.failed() && HasOneForm(&entry)) {
      if (entry.Has("where")) {
        exception.tuples = {ToFigures(entry.Value("where"))};
      } else {
        ReadTuples(&entry, &exception);
      }
    }
    if (entry.failed()) fields->Fail();
    exceptions.push_back(std::move(exception));
  }
  return exceptions;
}

void ReadLimits(Fields* fields, int64_t* rows, int64_t* milliseconds) {
  if (!fields->Value("limits").is_object()) return;
  Fields limits = fields->Child("limits");
  limits.Check(LimitsFormat());
  if (limits.failed()) fields->Fail();
  *rows = limits.Number("rows");
  *milliseconds = limits.Number("milliseconds");
}

}  // namespace inquest::rules
