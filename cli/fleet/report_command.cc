// SPDX-License-Identifier: Apache-2.0
// `inquest fleet report`: what many runs have in common.
#include <algorithm>
#include <chrono>
#include <filesystem>

#include "analyzer/fleet/page/fleet_page.h"
#include "analyzer/fleet/reports/fleet_report.h"
#include "base/input_file.h"
#include "base/suggest.h"
#include "base/units.h"
#include "cli/fleet/fleet_commands.h"
#include "cli/fleet/redact_answers.h"
#include "cli/private_file.h"
#include "cli/redact_option.h"

namespace inquest::cli {
namespace {

constexpr size_t kMaxSql = 1 << 20;
constexpr int64_t kDay = int64_t{86'400} * 1'000'000'000;

struct FleetReportOptions {
  FleetPlace place;
  std::vector<std::string> only;
  std::vector<std::string> queries;
  int64_t days = 0;
  int64_t rows = 0;
  bool sql = false;
  bool redact = false;
  std::string format;
  std::string output;
};

constexpr int64_t kUsualRows = 10;
constexpr int64_t kRowsOfPage = 100;

Status KeepOnly(const std::vector<std::string>& ids,
                std::vector<fleet::Question>* questions) {
  std::vector<std::string> known;
  for (const auto& one : *questions) known.push_back(one.id);
  std::vector<fleet::Question> kept;
  for (const std::string& id : ids) {
    const auto found = std::ranges::find(known, id);
    if (found == known.end()) {
      return Usage("there is no question '" + id + "'")
          .WithHint(DidYouMean(id, known));
    }
    kept.push_back((*questions)[static_cast<size_t>(found - known.begin())]);
  }
  if (!ids.empty()) *questions = std::move(kept);
  return Status::Ok();
}

Expected<std::vector<fleet::Question>> Questions(
    const FleetReportOptions& options) {
  std::vector<fleet::Question> questions = fleet::BuiltInQuestions();
  for (const std::string& path : options.queries) {
    ASSIGN_OR_RETURN(const std::string text,
                     ReadInput("the query", path, Links::kFollow, kMaxSql));
    questions.push_back(
        fleet::ReadQuestion(std::filesystem::path(path).stem().string(), text));
  }
  RETURN_IF_ERROR(KeepOnly(options.only, &questions));
  return questions;
}

int64_t Since(int64_t days) {
  if (days == 0) return 0;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::nanoseconds(now).count() - days * kDay;
}

using Sections = std::vector<fleet::Section>;

Expected<Sections> AnswerAll(const std::vector<fleet::Question>& questions,
                             const fleet::Scope& scope,
                             fleet::FleetDatabase* db) {
  Sections sections;
  for (const fleet::Question& question : questions) {
    ASSIGN_OR_RETURN(fleet::Section section,
                     fleet::Answer(db, question, scope));
    sections.push_back(std::move(section));
  }
  return sections;
}

void Redact(Sections* sections, fleet::Rows* more = nullptr) {
  std::vector<fleet::Rows*> answers;
  for (fleet::Section& one : *sections) answers.push_back(&one.answer);
  if (more != nullptr) answers.push_back(more);
  RedactAnswers(answers);
}

Expected<std::string> Page(const std::vector<fleet::Question>& questions,
                           const FleetReportOptions& options,
                           fleet::FleetDatabase* db) {
  fleet::FleetPageInput input = {INQUEST_VERSION, db->kind(), options.days};
  input.rows = options.rows;
  // One more than is shown tells whether there are more.
  const fleet::Scope scope = {Since(options.days), options.rows + 1};
  ASSIGN_OR_RETURN(input.sections, AnswerAll(questions, scope, db));
  if (options.only.empty()) {
    ASSIGN_OR_RETURN(const fleet::Section trends,
                     fleet::Answer(db, fleet::TrendQuestion(), scope));
    input.by_day = trends.answer;
  }
  if (options.redact) Redact(&input.sections, &input.by_day);
  return fleet::FleetPage(input);
}

Expected<std::string> Render(const std::vector<fleet::Question>& questions,
                             const FleetReportOptions& options) {
  ASSIGN_OR_RETURN(const auto db, OpenFleetAt(options.place, false));
  if (options.format == "html") return Page(questions, options, db.get());
  ASSIGN_OR_RETURN(
      Sections sections,
      AnswerAll(questions, {Since(options.days), options.rows}, db.get()));
  if (options.redact) Redact(&sections);
  return options.format == "json" ? fleet::FleetJson(sections, db->kind())
                                  : fleet::FleetText(sections);
}

// The format as the file's name ends, unless it is named.
void Complete(FleetReportOptions* options) {
  if (options->output == "-") options->output.clear();
  const std::string ending =
      std::filesystem::path(options->output).extension().string();
  if (options->format.empty()) {
    options->format = ending == ".html" || ending == ".htm" ? "html"
                      : ending == ".json"                   ? "json"
                                                            : "text";
  }
  if (options->rows == 0) {
    options->rows = options->format == "html" ? kRowsOfPage : kUsualRows;
  }
}

Status Write(const FleetReportOptions& options, const std::string& text) {
  if (options.format == "html") return WritePrivateFile(options.output, text);
  return WriteFile(options.output, PrintableLines(text));
}

int RunFleetReport(FleetReportOptions options) {
  Complete(&options);
  auto questions = Questions(options);
  if (!questions.ok()) return Fail(questions.status());
  if (options.sql) {
    for (const fleet::Question& one : *questions) Print(one.sql);
    return kDone;
  }
  const auto text = Render(*questions, options);
  if (!text.ok()) return Fail(text.status());
  if (!options.output.empty()) {
    const Status written = Write(options, *text);
    return written.ok() ? kDone : Fail(written);
  }
  options.format == "html" ? PrintAsItIs(*text) : Print(*text);
  return kDone;
}

}  // namespace

void AddFleetReport(Command fleet) {
  auto options = std::make_shared<FleetReportOptions>();
  const Command command = fleet.Add(
      "report",
      "Causes by GPU-hours, nodes and GPUs that fail again, and more");
  AddFleetPlace(command, &options->place);
  command
      .Takes("--only", &options->only,
             "One question: overview, causes, nodes, gpus, rules, changes, "
             "unknown")
      .OneWordEach();
  command
      .Takes("--query", &options->queries,
             "A question of your own, an SQL file: $1 is the earliest time, "
             "$2 the number of rows")
      .Called("FILE")
      .OneWordEach();
  command
      .Takes("--days", &options->days,
             "Runs of the last days; those without a time count always")
      .Between(1, 100'000);
  command
      .Takes("--rows", &options->rows,
             "Rows of each answer (default: 10, of a page 100)")
      .Between(1, 1'000'000);
  command.Flag("--show-sql", &options->sql, "Print the questions instead");
  command
      .Takes("--format", &options->format,
             "How to write it (default: as the name of the file ends, else "
             "text)")
      .OneOf({"text", "json", "html"});
  command
      .Takes("-o,--output", &options->output,
             "Write into a file; a page is readable by you alone")
      .Called("FILE");
  AddRedactOption(command, &options->redact);
  command.Run([options] { return RunFleetReport(*options); });
}

}  // namespace inquest::cli
