#include "analyzer/facts/store/log_store.h"

#include <charconv>

#include "analyzer/facts/store/optional_column.h"
#include "analyzer/rules/model/rule_words.h"
#include "base/units.h"

namespace inquest::facts {
namespace {

constexpr size_t kLongestText = 4000;       // of a line, as kept in the store
constexpr int64_t kMostChunks = 1'000'000;  // of dumps, all logs together
constexpr int64_t kMostFrames = 200'000;    // of tracebacks, likewise

// "7f1200000000" or "0x7f…" as a number.
std::optional<int64_t> Address(std::string_view text) {
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

// A figure of that name, when the line itself carries one.
std::optional<int64_t> IntegerFigure(const Figures& figures, const char* name) {
  const Figure& figure = figures[name];
  if (!figure.IsInteger()) return {};
  return figure.Integer();
}

void BindText(Statement* statement, int index, const std::string& text) {
  if (text.empty()) {
    statement->BindNull(index);
  } else {
    statement->Bind(index, text);
  }
}

}  // namespace

LogStore::LogStore(Store* store, const rules::RuleSet* rules)
    : store_(store), rules_(rules) {
  auto prepared = store_->db().Prepare(
      "INSERT INTO store_log_event (signature, role, cause, fact, source, "
      "path, line, offset, time, time_error, rank, pid, host, device, text, "
      "figures, severity) VALUES (?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?)");
  auto chunk = store_->db().Prepare(
      "INSERT INTO store_log_chunk VALUES (?, ?, ?, ?, ?, ?, ?)");
  Keep(chunk.status());
  auto frame = store_->db().Prepare(
      "INSERT INTO store_log_frame VALUES (?, ?, ?, ?, ?, ?)");
  Keep(frame.status());
  if (prepared.ok() && chunk.ok() && frame.ok()) {
    insert_frame_ = frame.Take();
    insert_event_ = prepared.Take();
    insert_chunk_ = chunk.Take();
    Keep(store_->db().Execute("BEGIN"));
  } else {
    Keep(prepared.status());
  }
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
  const auto pid = IntegerFigure(event.figures, "pid");
  const auto rank = IntegerFigure(event.figures, "rank");
  Statement& row = insert_event_;
  row.Bind(0, signature.id).Bind(1, rules::Word(signature.role));
  BindText(&row, 2, signature.cause);
  BindText(&row, 3, signature.fact);
  row.Bind(4, static_cast<int64_t>(event.source) + 1);
  row.Bind(5, event.line.number).Bind(6, event.line.offset);
  BindOptional(&row, 7, event.line.time_ns);
  row.Bind(8, event.line.time_error_ns);
  BindOptional(&row, 9, event.line.rank ? event.line.rank : rank);
  BindOptional(&row, 10, event.line.pid ? event.line.pid : pid);
  BindText(&row, 11,
           event.line.host.value_or(TextFigure(event.figures, "host")));
  BindOptional(&row, 12, IntegerFigure(event.figures, "device"));
  row.Bind(13, Printable(event.line.text, kLongestText));
  row.Bind(14, JsonText(event.figures));
  row.Bind(15, rules::Word(signature.severity));
  Keep(row.Run());
}

// A dump has a line for each of perhaps a hundred thousand chunks: they are no
// events of their own.
void LogStore::AddChunk(const ingest::LogEvent& event) {
  const Figures& figures = event.figures;
  const auto address = Address(figures["address"].Text());
  const auto bytes = IntegerFigure(figures, "chunk_bytes");
  if (!address || !bytes || *bytes < 0 || ++chunks_ > kMostChunks) return;
  Statement& row = insert_chunk_;
  row.Bind(0, static_cast<int64_t>(event.source) + 1);
  row.Bind(1, event.line.number);
  BindOptional(&row, 2, event.line.rank);
  row.Bind(3, *address).Bind(4, *bytes);
  row.Bind(5, int64_t{figures["state"].Text() == "Free"});
  BindText(&row, 6, figures["op"].Text());
  Keep(row.Run());
}

// A frame of Python's: many a log is tracebacks for the most part.
void LogStore::AddFrame(const ingest::LogEvent& event) {
  if (++frames_ > kMostFrames) return;
  const Figures& figures = event.figures;
  Statement& row = insert_frame_;
  row.Bind(0, static_cast<int64_t>(event.source) + 1);
  row.Bind(1, event.line.number);
  BindOptional(&row, 2, event.line.rank);
  row.Bind(3, TextFigure(figures, "file"));
  BindOptional(&row, 4, IntegerFigure(figures, "file_line"));
  row.Bind(5, TextFigure(figures, "function"));
  Keep(row.Run());
}

void LogStore::OnTail(size_t source, const std::vector<ingest::LogLine>& tail) {
  auto row =
      store_->db().Prepare("INSERT INTO store_log_line VALUES (?, ?, ?, ?)");
  if (!row.ok()) return Keep(row.status());
  for (const ingest::LogLine& line : tail) {
    row->Bind(0, static_cast<int64_t>(source) + 1).Bind(1, line.number);
    row->Bind(2, line.offset).Bind(3, Printable(line.text, kLongestText));
    Keep(row->Run());
  }
}

void LogStore::OnSource(size_t source, const ingest::LogSource& facts) {
  sources_.push_back(facts);
  auto row = store_->db().Prepare(
      "INSERT INTO store_log_source VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!row.ok()) return Keep(row.status());
  row->Bind(0, static_cast<int64_t>(source) + 1).Bind(1, facts.path);
  row->Bind(2, facts.kind).Bind(3, facts.lines).Bind(4, facts.bytes);
  row->Bind(5, int64_t{facts.truncated}).Bind(6, int64_t{facts.incomplete});
  BindText(&*row, 7, facts.note);
  BindOptional(&*row, 8, facts.first_time_ns);
  BindOptional(&*row, 9, facts.last_time_ns);
  Keep(row->Run());
  auto name = store_->db().Prepare(
      "UPDATE store_log_event SET path = ? WHERE source = ?");
  if (!name.ok()) return Keep(name.status());
  Keep(name->Bind(0, facts.path)
           .Bind(1, static_cast<int64_t>(source) + 1)
           .Run());
}

}  // namespace inquest::facts
