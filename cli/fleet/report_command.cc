// SPDX-License-Identifier: Apache-2.0
// `inquest fleet report`: what many runs have in common.
#include <algorithm>
#include <chrono>
#include <filesystem>

#include "analyzer/fleet/reports/fleet_report.h"
#include "base/input_file.h"
#include "base/suggest.h"
#include "cli/fleet/fleet_commands.h"

namespace inquest::cli {
namespace {

constexpr size_t kMostSql = 1 << 20;
constexpr int64_t kDay = int64_t{86'400} * 1'000'000'000;

struct FleetReportOptions {
  FleetPlace place;
  std::vector<std::string> only;
  std::vector<std::string> queries;
  int64_t days = 0;
  int64_t rows = 10;
  bool sql = false;
  std::string format = "text";
};

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
                     ReadInput("the query", path, Links::kFollow, kMostSql));
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

Expected<std::string> AnswerAll(const std::vector<fleet::Question>& questions,
                                const FleetReportOptions& options) {
  ASSIGN_OR_RETURN(const auto db, OpenFleetAt(options.place, false));
  std::vector<fleet::Section> sections;
  for (const fleet::Question& question : questions) {
    ASSIGN_OR_RETURN(
        fleet::Section section,
        fleet::Answer(db.get(), question, {Since(options.days), options.rows}));
    sections.push_back(std::move(section));
  }
  return options.format == "json" ? fleet::FleetJson(sections, db->kind())
                                  : fleet::FleetText(sections);
}

int RunFleetReport(const FleetReportOptions& options) {
  auto questions = Questions(options);
  if (!questions.ok()) return Fail(questions.status());
  if (options.sql) {
    for (const fleet::Question& one : *questions) Print(one.sql);
    return kDone;
  }
  const auto text = AnswerAll(*questions, options);
  if (!text.ok()) return Fail(text.status());
  Print(*text);
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
  command.Takes("--rows", &options->rows, "Rows of each answer")
      .Between(1, 1'000'000)
      .ShowDefault();
  command.Flag("--show-sql", &options->sql, "Print the questions instead");
  command.Takes("--format", &options->format, "How to print it")
      .OneOf({"text", "json"})
      .ShowDefault();
  command.Run([options] { return RunFleetReport(*options); });
}

}  // namespace inquest::cli
