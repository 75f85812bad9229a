// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diagnosis/part_file.h"

#include <array>

#include "analyzer/facts/store/parts.h"

namespace inquest::diagnosis {
namespace {

using ingest::PrefixProfile;

constexpr const char* kTables =
    "CREATE TABLE merged.part_info (content TEXT, rules TEXT, tool TEXT, "
    "inputs INTEGER, incomplete INTEGER, memory_events INTEGER, "
    "share INTEGER, shares INTEGER);"
    "CREATE TABLE merged.part_problem (code INTEGER, message TEXT, hint TEXT);"
    "CREATE TABLE merged.part_limit (rule TEXT, what TEXT);"
    "CREATE TABLE merged.part_contradiction (what TEXT);"
    "CREATE TABLE merged.part_log (path TEXT, kind TEXT, packing TEXT, "
    "bytes INTEGER, lines INTEGER, events INTEGER, cut_lines INTEGER, "
    "thinned INTEGER, repeats INTEGER, bad_captures INTEGER, "
    "truncated INTEGER, incomplete INTEGER, not_text INTEGER, note TEXT, "
    "first_time INTEGER, last_time INTEGER, zone_unknown INTEGER, "
    "rank INTEGER, local_rank INTEGER, host TEXT, attempt INTEGER, "
    "world INTEGER, rank_by TEXT, host_by TEXT, certain INTEGER)";
constexpr const char* kBlocks =
    "CREATE TABLE merged.part_block (source INTEGER, wanted INTEGER, "
    "first_line INTEGER, offset INTEGER, profile INTEGER, text BLOB)";

struct LogRow : ingest::LogSource {
  template <class V>
  void Columns(V& v) {
    v("path", path);
    v("kind", kind);
    v("packing", packing);
    v("bytes", bytes);
    v("lines", lines);
    v("events", events);
    v("cut_lines", cut_lines);
    v("thinned", thinned);
    v("repeats", repeats);
    v("bad_captures", bad_captures);
    v("truncated", truncated);
    v("incomplete", incomplete);
    v("not_text", not_text);
    v("note", note);
    v("first_time", first_time_ns);
    v("last_time", last_time_ns);
    v("zone_unknown", zone_unknown);
    v("rank", unit.rank);
    v("local_rank", unit.local_rank);
    v("host", unit.host);
    v("attempt", unit.attempt);
    v("world", unit.world);
    v("rank_by", unit.rank_by);
    v("host_by", unit.host_by);
    v("certain", unit.certain);
  }
};

std::array<bool PrefixProfile::*, 11> Bits() {
  return {&PrefixProfile::srun_label, &PrefixProfile::mpich_rank,
          &PrefixProfile::pdsh_host,  &PrefixProfile::compose,
          &PrefixProfile::replica,    &PrefixProfile::uniq_count,
          &PrefixProfile::cri,        &PrefixProfile::json_lines,
          &PrefixProfile::kernel,     &PrefixProfile::node_labels,
          &PrefixProfile::quote};
}

int64_t Packed(const PrefixProfile& profile) {
  int64_t bits = 0;
  int64_t bit = 1;
  for (const auto member : Bits()) {
    if (profile.*member) bits |= bit;
    bit *= 2;
  }
  return bits;
}

PrefixProfile Unpacked(int64_t bits) {
  PrefixProfile profile;
  for (const auto member : Bits()) {
    profile.*member = (bits & 1) != 0;
    bits /= 2;
  }
  return profile;
}

Status WriteLists(Database* db, const PartInfo& info) {
  ASSIGN_OR_RETURN(
      Statement problem,
      db->Prepare("INSERT INTO merged.part_problem VALUES (?, ?, ?)"));
  for (const Status& one : info.problems) {
    RETURN_IF_ERROR(problem.Run(one.code(), one.message(), one.hint()));
  }
  ASSIGN_OR_RETURN(Statement limit,
                   db->Prepare("INSERT INTO merged.part_limit VALUES (?, ?)"));
  for (const findings::LimitHit& one : info.limits) {
    RETURN_IF_ERROR(limit.Run(one.rule, one.what));
  }
  ASSIGN_OR_RETURN(
      Statement contradiction,
      db->Prepare("INSERT INTO merged.part_contradiction VALUES (?)"));
  for (const std::string& one : info.contradictions) {
    RETURN_IF_ERROR(contradiction.Run(one));
  }
  return Status::Ok();
}

Status ReadLists(Database* db, PartInfo* info) {
  ASSIGN_OR_RETURN(
      Statement problem,
      db->Prepare("SELECT code, message, hint FROM part.part_problem"));
  StatusCode code{};
  std::string message, hint;
  while (problem.Next(&code, &message, &hint)) {
    info->problems.push_back(Status(code, message).WithHint(hint));
  }
  RETURN_IF_ERROR(problem.status());
  ASSIGN_OR_RETURN(Statement limit,
                   db->Prepare("SELECT rule, what FROM part.part_limit"));
  for (findings::LimitHit one; limit.Next(&one.rule, &one.what);) {
    info->limits.push_back(one);
  }
  RETURN_IF_ERROR(limit.status());
  ASSIGN_OR_RETURN(info->contradictions,
                   db->QueryTexts("SELECT what FROM part.part_contradiction"));
  return Status::Ok();
}

}  // namespace

Expected<BlockKeeper> BlockKeeper::Make(Database* db) {
  RETURN_IF_ERROR(db->Execute(kBlocks));
  BlockKeeper keeper;
  ASSIGN_OR_RETURN(keeper.insert_,
                   db->Prepare("INSERT INTO merged.part_block VALUES (?, ?, ?, "
                               "?, ?, ?)"));
  return keeper;
}

void BlockKeeper::Keep(size_t source, uint8_t wanted,
                       const ingest::LogBlock& block,
                       const PrefixProfile& profile) {
  if (!status_.ok()) return;
  status_ = insert_.Run(source, wanted, block.first_line, block.offset,
                        Packed(profile), Blob{block.text});
}

Status WritePart(Database* db, const PartInfo& info,
                 const std::vector<ingest::LogSource>& logs) {
  RETURN_IF_ERROR(db->Execute(kTables));
  RETURN_IF_ERROR(db->Execute("BEGIN"));
  ASSIGN_OR_RETURN(auto log, InsertInto<LogRow>(db, "merged.part_log"));
  for (const ingest::LogSource& one : logs) {
    RETURN_IF_ERROR(log.Add(LogRow{one}));
  }
  RETURN_IF_ERROR(WriteLists(db, info));
  ASSIGN_OR_RETURN(
      Statement insert,
      db->Prepare(
          "INSERT INTO merged.part_info VALUES (?, ?, ?, ?, ?, ?, ?, ?)"));
  RETURN_IF_ERROR(insert.Run(info.content, info.rules, info.tool, info.inputs,
                             info.incomplete, info.memory_events, info.share,
                             info.shares));
  return db->Execute("COMMIT");
}

Expected<PartInfo> ReadPart(Database* db) {
  PartInfo info;
  ASSIGN_OR_RETURN(
      Statement row,
      db->Prepare(
          "SELECT content, rules, tool, inputs, "
          "incomplete, memory_events, share, shares FROM part.part_info"));
  const bool found = row.Next(&info.content, &info.rules, &info.tool,
                              &info.inputs, &info.incomplete,
                              &info.memory_events, &info.share, &info.shares);
  RETURN_IF_ERROR(row.status());
  if (!found) return Unreadable("the file of facts was not completed");
  RETURN_IF_ERROR(ReadLists(db, &info));
  return info;
}

Status ReadPartLogs(Database* db, std::vector<ingest::LogSource>* logs) {
  ASSIGN_OR_RETURN(auto rows,
                   SelectRows<LogRow>(db, "FROM part.part_log ORDER BY rowid"));
  for (LogRow row; rows.Next(&row);) logs->push_back(row);
  return rows.statement().status();
}

Status ReadBlocks(Database* db, size_t first,
                  const std::vector<ingest::LogSource>& logs,
                  hangs::Artefacts* artefacts) {
  ASSIGN_OR_RETURN(
      Statement row,
      db->Prepare("SELECT source, wanted, first_line, offset, profile, text "
                  "FROM part.part_block ORDER BY rowid"));
  size_t source = 0, last = SIZE_MAX;
  uint8_t wanted = 0;
  ingest::LogBlock block;
  int64_t profile = 0;
  Blob text;
  while (row.Next(&source, &wanted, &block.first_line, &block.offset, &profile,
                  &text)) {
    if (source != last) {
      if (last != SIZE_MAX) artefacts->End();
      if (first + source >= logs.size()) {
        return Unreadable("a block is of no log");
      }
      artefacts->Begin(logs[first + source].path);
      last = source;
    }
    artefacts->Want(wanted);
    block.text = text.bytes;
    artefacts->OnBlock(first + source, block, Unpacked(profile));
  }
  if (last != SIZE_MAX) artefacts->End();
  return row.status();
}

Expected<PartInfo> LookAtPart(const std::string& path) {
  ASSIGN_OR_RETURN(Database db, Database::OpenMemory());
  ASSIGN_OR_RETURN(Statement attach, db.Prepare("ATTACH ? AS part"));
  if (Status status = attach.Run(Database::ReadOnlyUri(path, true));
      !status.ok()) {
    return Unreadable("cannot open '" + path + "': " + status.message());
  }
  RETURN_IF_ERROR(facts::CheckPart(&db, path));
  Expected<PartInfo> info = ReadPart(&db);
  if (info.ok()) return info;
  return Unreadable("the facts of '" + path + "': " + info.status().message())
      .WithHint(info.status().hint());
}

}  // namespace inquest::diagnosis
