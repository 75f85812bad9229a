// SPDX-License-Identifier: Apache-2.0
// `inquest rules new`: a rule file and its test from a line of a log.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "analyzer/logs/carriers/log_prefix.h"
#include "analyzer/logs/reader/log_input.h"
#include "analyzer/logs/reader/log_text.h"
#include "authoring/propose/propose.h"
#include "base/folder_files.h"
#include "base/secrets/secrets.h"
#include "cli/command.h"
#include "cli/rule_options.h"
#include "cli/rules/rules_commands.h"

namespace inquest::cli {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxBytes = 256 << 20;  // read of a log
constexpr size_t kHeadLines = 300;        // that show its prefixes

struct NewOptions {
  RuleOptions rules;
  std::string line;
  std::string log;  // FILE:LINE
  std::string out;
};

struct Source {
  std::string head;  // the beginning of the log, or the line alone
  std::string line;
};

Expected<Source> FromLog(const std::string& place) {
  const size_t colon = place.rfind(':');
  const std::string number = colon == place.npos ? "" : place.substr(colon + 1);
  if (number.empty() || number.size() > 9 ||
      number.find_first_not_of("0123456789") != number.npos) {
    return Usage("'" + place + "' is not a place in a log")
        .WithHint("write --log FILE:LINE, the line's number from 1");
  }
  const std::string path = place.substr(0, colon);
  ASSIGN_OR_RETURN(const auto log,
                   ingest::OpenLog(path, {kMaxBytes, kMaxBytes}));
  const size_t wanted = std::stoul(number);
  Source source;
  std::string line;
  size_t at = 1;
  char buffer[64 << 10];
  for (size_t got = 1; at <= wanted && got > 0;) {
    got = log.bytes->Read(buffer, sizeof buffer);
    for (size_t i = 0; i < got && at <= wanted; ++i) {
      if (buffer[i] != '\n') {
        line += buffer[i];
        continue;
      }
      if (at <= kHeadLines) source.head += line + "\n";
      if (at++ == wanted) source.line = line;
      line.clear();
    }
  }
  if (at == wanted) source.line = line;  // the last one, without its end
  if (source.line.empty()) {
    return Usage(
        fmt::format("{} has no line {}, or it is empty", path, wanted));
  }
  return source;
}

Expected<Source> Read(const NewOptions& options) {
  if (!options.log.empty()) return FromLog(options.log);
  Source source;
  source.line = options.line;
  if (source.line == "-") {
    source.line.clear();
    while (source.line.empty() && std::getline(std::cin, source.line)) {
    }
  }
  if (source.line.empty()) {
    return Usage("no line of a log to start from")
        .WithHint(
            "give --from-line 'TEXT', --log FILE:LINE, or - and the "
            "line on standard input");
  }
  source.head = source.line + "\n";
  return source;
}

Status Write(const fs::path& path, const std::string& text) {
  // A link without a target is there, too.
  if (std::error_code error; fs::exists(fs::symlink_status(path, error))) {
    return Usage(path.string() + " already exists")
        .WithHint("choose another name for -o, or remove it");
  }
  std::error_code error;  // then writing fails and reports it
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
  return ReplaceFile(path.string(), text);
}

// Without a file both go to stdout, the test as a comment.
std::string Together(const std::string& rules, const std::string& test) {
  std::string text = rules + "\n# A test to go beside it, in NAME.test.yaml:\n";
  for (std::string_view rest = test; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    text += "# " + std::string(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

Status Save(const std::string& out, const std::string& rules,
            const std::string& test) {
  const fs::path path(out);
  const fs::path beside = fs::path(out).replace_extension(".test.yaml");
  if (path.extension() != ".yaml" && path.extension() != ".yml") {
    return Usage("-o needs a name that ends in .yaml, not '" + out + "'");
  }
  RETURN_IF_ERROR(Write(path, rules));
  RETURN_IF_ERROR(Write(beside, test));
  Print(
      fmt::format("wrote {} and {}; next: edit them, then `inquest rules "
                  "lint {}`\n",
                  path.string(), beside.string(), path.string()));
  return Status::Ok();
}

int New(const NewOptions& options) {
  const auto source = Read(options);
  if (!source.ok()) return Fail(source.status());
  const auto loaded = ReadRulesToApply(options.rules);
  if (!loaded.ok()) return Fail(loaded.status());
  std::string clean;
  ingest::CleanText(source->line, &clean);
  clean = MaskSecrets(clean);  // rules are published
  const auto profile = ingest::ProfileOf(source->head);
  const auto prefixed = ingest::StripPrefixes(clean, profile);
  const auto proposal = authoring::Propose(clean, prefixed.text, loaded->set);
  if (!proposal.ok()) return Fail(proposal.status());
  const std::string pack =
      options.out.empty() ? "site" : fs::path(options.out).stem().string();
  const std::string rules = authoring::RuleFileOf(*proposal, pack);
  const std::string test = authoring::TestFileOf(*proposal);
  if (options.out.empty()) {
    Print(Together(rules, test));
    return kDone;
  }
  const Status status = Save(options.out, rules, test);
  return status.ok() ? kDone : Fail(status);
}

}  // namespace

void AddRulesNew(Command rules) {
  auto options = std::make_shared<NewOptions>();
  const Command command =
      rules.Add("new", "A rule file and its test from a line of a log");
  command.Takes("--from-line,LINE", &options->line,
                "The line; - is standard input");
  command.Takes("--log", &options->log, "Where the line is")
      .Called("FILE:LINE");
  command
      .Takes("-o,--output", &options->out,
             "The file to write; the test goes beside it")
      .Called("FILE.yaml");
  AddRuleOptions(command, &options->rules);
  command.Run([options] { return New(*options); });
}

}  // namespace inquest::cli
