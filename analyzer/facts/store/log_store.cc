// SPDX-License-Identifier: Apache-2.0
#include "analyzer/facts/store/log_store.h"

#include <charconv>

#include "analyzer/rules/model/codes.h"
#include "analyzer/rules/model/rule_words.h"
#include "base/secrets/secrets.h"
#include "base/units.h"

namespace inquest::facts {
namespace {

constexpr size_t kMaxTextBytes = 4000;     // of a line, as kept in the store
constexpr int64_t kMaxChunks = 1'000'000;  // of dumps in all logs
constexpr int64_t kMaxFrames = 200'000;    // of tracebacks in all logs

// "7f1200000000" or "0x7f…" as a number.
std::optional<int64_t> ParseAddress(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, 16);
  if (error != std::errc() || stop != end) return {};
  return value;
}

const std::string& TextFigure(const Figures& figures, const char* name) {
  return figures[name].Text();
}

// The figure of that name, if the line has one.
std::optional<int64_t> IntegerFigure(const Figures& figures, const char* name) {
  const Figure& figure = figures[name];
  if (!figure.IsInteger()) return {};
  return figure.Integer();
}

// The rank that the pattern captured may be the rank within a group.
Figures WithRankOfJob(const ingest::LogEvent& event) {
  Figures figures = event.figures;
  const auto& group = event.line.group_rank;
  if (!group || IntegerFigure(figures, "rank") != group) return figures;
  figures["group_rank"] = *group;
  figures["rank"] = *event.line.rank;
  return figures;
}

// Figures are taken from the line as it was: what its masking took from it is
// taken from them, too.
Figures WithoutSecrets(const Figures& figures, std::string_view line,
                       std::string_view masked) {
  Figures rest = figures;
  for (const auto& [name, figure] : figures) {
    const std::string& text = figure.Text();
    const bool hidden =
        line.find(text) != line.npos && masked.find(text) == masked.npos;
    if (hidden) {
      auto again = FindAndMaskSecrets(text);
      rest[name] = again ? *std::move(again) : std::string(kMaskedSecret);
    }
  }
  return rest;
}

// The facts count sources from 1.
int64_t SourceNumber(size_t source) {
  return static_cast<int64_t>(source) + 1;
}

}  // namespace

LogStore::LogStore(Store* store, const rules::RuleSet* rules)
    : store_(store), rules_(rules) {
  Keep(Open());
}

Status LogStore::Open() {
  Database* db = &store_->db();
  ASSIGN_OR_RETURN(event_table_,
                   InsertInto<LogEventRow>(db, "store_log_event"));
  ASSIGN_OR_RETURN(chunk_table_, InsertInto<LogChunk>(db, "store_log_chunk"));
  ASSIGN_OR_RETURN(frame_table_, InsertInto<LogFrame>(db, "store_log_frame"));
  ASSIGN_OR_RETURN(native_frame_table_,
                   InsertInto<NativeFrame>(db, "store_log_native_frame"));
  return db->Execute("BEGIN");
}

void LogStore::Keep(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

Status LogStore::Finish() {
  Keep(store_->db().Execute("COMMIT"));
  return status_;
}

void LogStore::OnEvent(const ingest::LogEvent& event) {
  if (!status_.ok()) return;
  const rules::Signature& signature = rules_->signatures[event.signature];
  if (signature.fact == "heap_block") return AddChunk(event);
  if (signature.fact == "frame") return AddFrame(event);
  if (signature.fact == "native_frame") return AddNativeFrame(event);
  Figures figures = WithRankOfJob(event);
  std::string_view cause = signature.cause;
  if (signature.codes != nullptr) {
    const rules::Code* code = signature.codes->Find(figures);
    if (code == nullptr || code->cause == "none") return;
    if (!code->cause.empty()) cause = code->cause;
    rules::AddCode(*code, signature.code, &figures);
  }
  const auto pid = IntegerFigure(figures, "pid");
  const auto rank = IntegerFigure(figures, "rank");
  const auto device = IntegerFigure(figures, "device");
  LogEventRow row;
  row.signature = signature.id;
  row.role = rules::Word(signature.role);
  row.severity = rules::Word(signature.severity);
  row.cause = NullIfEmpty(cause);
  row.fact = NullIfEmpty(std::string_view(signature.fact));
  row.source = SourceNumber(event.source);
  row.line = event.line.number;
  row.offset = event.line.offset;
  row.time = event.line.time_ns;
  row.time_error = event.line.time_error_ns;
  row.rank = event.line.rank ? event.line.rank : rank;
  row.pid = event.line.pid ? event.line.pid : pid;
  row.host = NullIfEmpty(event.line.host.value_or(TextFigure(figures, "host")));
  row.device = device ? device : event.line.device;
  const auto masked = FindAndMaskSecrets(event.line.text);
  if (masked) figures = WithoutSecrets(figures, event.line.text, *masked);
  row.text = Printable(masked ? std::string_view(*masked) : event.line.text,
                       kMaxTextBytes);
  row.figures = JsonText(figures);
  Keep(event_table_->Add(row));
}

// A dump may have a hundred thousand lines of chunks, so they are not separate
// events.
void LogStore::AddChunk(const ingest::LogEvent& event) {
  const Figures& figures = event.figures;
  const auto address = ParseAddress(figures["address"].Text());
  const auto bytes = IntegerFigure(figures, "chunk_bytes");
  if (!address || !bytes || *bytes < 0 || ++chunks_ > kMaxChunks) return;
  Keep(chunk_table_->Add({SourceNumber(event.source), event.line.number,
                          event.line.rank, *address, *bytes,
                          figures["state"].Text() == "Free",
                          NullIfEmpty(figures["op"].Text())}));
}

// Python frames are not events, either: some logs are mostly tracebacks.
void LogStore::AddFrame(const ingest::LogEvent& event) {
  if (++frames_ > kMaxFrames) return;
  const Figures& figures = event.figures;
  Keep(frame_table_->Add(
      {SourceNumber(event.source), event.line.number, event.line.rank,
       TextFigure(figures, "file"), IntegerFigure(figures, "file_line"),
       TextFigure(figures, "function"),
       rules_->signatures[event.signature].id == "python.fault-frame"}));
}

void LogStore::AddNativeFrame(const ingest::LogEvent& event) {
  if (++frames_ > kMaxFrames) return;
  const Figures& figures = event.figures;
  Keep(native_frame_table_->Add(
      {SourceNumber(event.source), event.line.number, event.line.rank,
       IntegerFigure(figures, "depth"), TextFigure(figures, "function"),
       TextFigure(figures, "library"), TextFigure(figures, "file"),
       IntegerFigure(figures, "file_line")}));
}

void LogStore::OnTail(size_t source, const std::vector<ingest::LogLine>& tail) {
  auto row =
      store_->db().Prepare("INSERT INTO store_log_line VALUES (?, ?, ?, ?)");
  if (!row.ok()) return Keep(row.status());
  SecretLines lines;
  for (const ingest::LogLine& line : tail) {
    const auto masked = lines.Masked(line.text);
    Keep(row->Run(SourceNumber(source), line.number, line.offset,
                  Printable(masked ? std::string_view(*masked) : line.text,
                            kMaxTextBytes)));
  }
}

void LogStore::OnSource(size_t source, const ingest::LogSource& facts) {
  sources_.push_back(facts);
  const ingest::LogUnit& unit = facts.unit;
  auto row = store_->db().Prepare(
      "INSERT INTO store_log_source VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?)");
  if (!row.ok()) return Keep(row.status());
  Keep(row->Run(SourceNumber(source), facts.path, facts.kind, facts.lines,
                facts.bytes, facts.truncated, facts.incomplete,
                NullIfEmpty(facts.note), facts.first_time_ns,
                facts.last_time_ns, unit.rank, NullIfEmpty(unit.host),
                unit.attempt, unit.world));
  auto path = store_->db().Prepare(
      "UPDATE store_log_event SET path = ?, host = coalesce(host, ?) "
      "WHERE source = ?");
  if (!path.ok()) return Keep(path.status());
  Keep(path->Run(facts.path, NullIfEmpty(unit.host), SourceNumber(source)));
}

}  // namespace inquest::facts
