#include "authoring/ruletests/test_bench.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "analyzer/diagnosis/diagnose.h"
#include "analyzer/facts/store/log_store.h"
#include "analyzer/logs/reader/log_reader.h"
#include "authoring/ruletests/allocations.h"
#include "authoring/ruletests/given_facts.h"
#include "trace/records/event.h"

namespace inquest::ruletests {
namespace {

namespace fs = std::filesystem;

// Where made-up traces lie while their test runs; made when first needed.
class Scratch {
 public:
  Scratch() = default;
  ~Scratch() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  Expected<std::string> Path() {
    if (!path_.empty()) return path_;
    std::error_code error;
    std::string pattern =
        (fs::temp_directory_path(error) / "inquest-test-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      return Internal("cannot make a folder like " + pattern);
    }
    return path_ = pattern;
  }

 private:
  std::string path_;
};

// "Remember < Step < main" as the frames of a stack.
std::vector<memory::Frame> FramesOf(const std::string& site) {
  constexpr std::string_view kArrow = " < ";
  std::vector<memory::Frame> frames;
  for (size_t at = 0; at <= site.size();) {
    const size_t end = std::min(site.find(kArrow, at), site.size());
    memory::Frame frame;
    frame.function = site.substr(at, end - at);
    frame.module = "test";
    frames.push_back(std::move(frame));
    at = end + kArrow.size();
  }
  return frames;
}

bool IsTrace(const std::string& path) {
  return path.ends_with(trace::kTraceSuffix);
}

}  // namespace

// One run on its way from what is given to its diagnosis.
class Subject {
 public:
  explicit Subject(const rules::RuleSet* rules) : rules_(rules) {}

  Status Open(const Given& given) {
    ASSIGN_OR_RETURN(store_, facts::Store::Create());
    if (!given.exit_code && !given.signal) return Status::Ok();
    facts::RunFacts run;
    run.directory = "test";
    run.end_time = 1'800'000'100'000'000'000;
    run.exit_code = given.exit_code;
    run.signal = given.signal;
    return store_.AddRun(run);
  }

  Status AddProcess(const Process& process) {
    ASSIGN_OR_RETURN(const std::string folder, scratch_.Path());
    const std::string path = folder + "/" + std::to_string(store_.traces()) +
                             std::string(trace::kTraceSuffix);
    ASSIGN_OR_RETURN(SiteNames sites, WriteTrace(process, path));
    ASSIGN_OR_RETURN(const int number, store_.AddTrace(path));
    sites_.resize(static_cast<size_t>(number));
    sites_.back() = std::move(sites);
    return Status::Ok();
  }

  // Traces first, because the facts are defined over all of them.
  Status AddFiles(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      if (!IsTrace(file)) continue;
      RETURN_IF_ERROR(store_.AddTrace(file).status());
    }
    return Status::Ok();
  }

  Status ReadLogs(const rules::SignatureSet& signatures,
                  const std::vector<GivenLog>& texts,
                  const std::vector<std::string>& files) {
    facts::LogStore sink(&store_, rules_);
    size_t source = 0;
    for (const GivenLog& log : texts) {
      RETURN_IF_ERROR(ingest::ReadLogText(log.name, log.text, signatures, {},
                                          &sink, source++));
    }
    RETURN_IF_ERROR(ingest::ReadLogs(files, signatures, {}, &sink, source));
    return sink.Finish();
  }

  Expected<findings::Diagnosis> Decide(Diagnostics* diagnostics) {
    memory::AnalyzeOptions options;
    options.frames = [this](int process, int64_t stack) {
      const auto number = static_cast<size_t>(process) - 1;
      if (number >= sites_.size() || stack < 1 ||
          static_cast<size_t>(stack) > sites_[number].size()) {
        return std::vector<memory::Frame>{};
      }
      return FramesOf(sites_[number][static_cast<size_t>(stack) - 1]);
    };
    RETURN_IF_ERROR(diagnosis::DeriveFacts(&store_, options).status());
    findings::Diagnosis diagnosis;
    RETURN_IF_ERROR(
        diagnosis::Diagnose(&store_, *rules_, &diagnosis, diagnostics));
    return diagnosis;
  }

  facts::Store* store() { return &store_; }

 private:
  const rules::RuleSet* rules_;
  Scratch scratch_;  // outlives the store, which has its files open
  facts::Store store_;
  std::vector<SiteNames> sites_;  // by process number - 1
};

Expected<Bench> Bench::Make(rules::RuleSet rules) {
  ASSIGN_OR_RETURN(rules::SignatureSet signatures,
                   rules::SignatureSet::Compile(rules.signatures));
  return Bench(std::move(rules), std::move(signatures));
}

Expected<findings::Diagnosis> Bench::Decide(Subject* subject) {
  Diagnostics found;
  auto diagnosis = subject->Decide(&found);
  for (Diagnostic& one : found) {
    const bool known = std::any_of(
        diagnostics_.begin(), diagnostics_.end(),
        [&](const Diagnostic& said) { return said.message == one.message; });
    if (!known) diagnostics_.push_back(std::move(one));
  }
  return diagnosis;
}

Expected<findings::Diagnosis> Bench::Run(const Given& given,
                                         Fixtures* fixtures) {
  std::vector<std::string> traces;
  std::vector<std::string> logs;
  std::string sql = given.sql;
  for (const GivenFiles& wanted : given.files) {
    ASSIGN_OR_RETURN(const auto found, fixtures->Find(wanted.glob));
    for (const std::string& path : found) {
      if (path.ends_with(".sql")) {
        ASSIGN_OR_RETURN(const std::string text, ReadText(path));
        sql += text + "\n";
      } else {
        (IsTrace(path) ? traces : logs).push_back(path);
      }
    }
  }
  Subject subject(&rules_);
  RETURN_IF_ERROR(subject.Open(given));
  for (const Process& process : given.processes) {
    RETURN_IF_ERROR(subject.AddProcess(process));
  }
  RETURN_IF_ERROR(subject.AddFiles(traces));
  RETURN_IF_ERROR(subject.store()->DefineFacts());
  RETURN_IF_ERROR(subject.ReadLogs(signatures_, given.logs, logs));
  RETURN_IF_ERROR(GiveFacts(subject.store(), given.facts, sql));
  return Decide(&subject);
}

Expected<findings::Diagnosis> Bench::RunLogs(
    const std::vector<std::string>& paths) {
  Subject subject(&rules_);
  RETURN_IF_ERROR(subject.Open({}));
  RETURN_IF_ERROR(subject.store()->DefineFacts());
  RETURN_IF_ERROR(subject.ReadLogs(signatures_, {}, paths));
  return Decide(&subject);
}

}  // namespace inquest::ruletests
