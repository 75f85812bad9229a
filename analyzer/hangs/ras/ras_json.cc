// SPDX-License-Identifier: Apache-2.0
#include "analyzer/hangs/ras/ras_json.h"

#include <re2/re2.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"

namespace inquest::hangs {
namespace {

using nlohmann::json;

const json& Member(const json& dict, const char* key) {
  static const json kNone;
  const auto found = dict.is_object() ? dict.find(key) : dict.end();
  return dict.is_object() && found != dict.end() ? *found : kNone;
}

std::optional<int64_t> Whole(const json& value) {
  if (!value.is_number_integer()) return {};
  return value.get<int64_t>();
}

std::string Words(const json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::string Devices(const json& value) {
  std::string text;
  if (!value.is_array()) return text;
  for (const json& one : value) {
    if (!Whole(one)) continue;
    text += (text.empty() ? "" : ",") + std::to_string(*Whole(one));
  }
  return text;
}

RasRank RankOf(const json& value) {
  RasRank rank;
  rank.rank = Whole(Member(value, "rank"));
  rank.pid = Whole(Member(value, "pid"));
  rank.host = Words(Member(value, "host"));
  const auto device = Whole(Member(value, "cuda_dev"));
  rank.gpus =
      device ? std::to_string(*device) : Devices(Member(value, "cuda_devs"));
  return rank;
}

// "nvml_dev": 1 "status": …
std::string Mended(std::string text) {
  static const auto* comma =
      new RE2(R"re(("nvml_dev": ?-?\d+)(\s*"status"))re");
  RE2::GlobalReplace(&text, *comma, R"(\1,\2)");
  return text;
}

}  // namespace

bool IsRasJson(std::string_view start) {
  static const auto* report = new RE2(
      R"re(^\s*\{\s*"nccl_version"\s*:(?s:.){0,400}"communicators(?:_count)?")re");
  static const auto* event = new RE2(
      R"re(^\s*\{\s*"timestamp"\s*:[^,]{0,80},\s*"group"\s*:\s*"(?:LIFECYCLE|TRACE)")re");
  const re2::StringPiece piece(start.data(), start.size());
  return RE2::PartialMatch(piece, *report) || RE2::PartialMatch(piece, *event);
}

RasItem RasJson::About(const char* kind) const {
  RasItem item;
  item.kind = kind;
  item.at = at_;
  return item;
}

void RasJson::Keep(RasItem item) {
  if (reports_->items.size() < kMaxRasItems) {
    reports_->items.push_back(std::move(item));
  }
}

void RasJson::Add(const ingest::LogLine& line) {
  const std::string_view text = line.text;
  if (depth_ == 0) {
    const std::string_view trimmed = Trim(text);
    if (trimmed.empty()) return;
    if (!trimmed.starts_with('{')) {
      others_ = true;
      return;
    }
    text_.clear();
    in_string_ = false;
    at_ = {source_, line.number, line.offset, std::string(text)};
  }
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string_) {
      if (c == '\\') ++i;
      if (c == '"') in_string_ = false;
      continue;
    }
    if (c == '"') in_string_ = true;
    depth_ += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
  }
  in_string_ = false;  // no string of a report spans lines
  text_.append(text).append("\n");
  if (depth_ <= 0 || text_.size() > kMaxBytes) Finish();
}

void RasJson::EndSource() {
  if (depth_ > 0 && text_.find("\"communicators_count\"") != text_.npos) {
    ++reports_->malformed;
  }
  depth_ = 0;
  text_.clear();
  others_ = false;
}

void RasJson::Finish() {
  depth_ = 0;
  if (!IsRasJson(text_)) {
    others_ = true;
    return;
  }
  const json parsed = ParseJson(Mended(std::move(text_)));
  text_.clear();
  if (!parsed.is_object()) {
    ++reports_->malformed;
    return;
  }
  parsed.contains("communicators") ? Report(parsed) : Event(parsed);
}

void RasJson::Event(const json& event) {
  if (Words(Member(event, "event")) != "PEER_DEAD") return;
  RasItem item = About("dead");
  item.who.push_back(RankOf(Member(event, "peer")));
  item.ranks = 1;
  Keep(std::move(item));
}

void RasJson::Report(const json& report) {
  const size_t before = reports_->items.size();
  const json& ras = Member(report, "ras");
  RasItem about = About("");
  about.time_limits = Whole(Member(ras, "timeouts_count"));
  size_t whole = 0;
  const json& all = Member(report, "communicators");
  for (const json& one : all) {
    Communicator(one, about);
    ++whole;
  }
  // A report about no ranks proves nothing.
  if (whole == 0 || others_ || reports_->items.size() != before) return;
  if (about.time_limits.value_or(1) != 0) return;
  Keep(About("in-order"));
}

void RasJson::Communicator(const json& one, const RasItem& report) {
  RasItem about = report;
  about.communicator = Words(Member(one, "hash"));
  about.size = Whole(Member(one, "size"));
  std::map<std::string, std::map<int64_t, CountGroup>> counts;
  for (const json& rank : Member(one, "ranks")) {
    const RasRank named = RankOf(rank);
    const json& status = Member(rank, "status");
    const int64_t setup = Whole(Member(status, "init_state")).value_or(0);
    const int64_t error = Whole(Member(status, "async_error")).value_or(0);
    const json& aborted = Member(status, "abort_flag");
    const bool wrong = (setup != 0 && setup != 7) || (error != 0 && error != 7);
    if (wrong || (aborted.is_boolean() && aborted.get<bool>()) || setup == 7) {
      RasItem item = about;
      item.kind = wrong ? "error" : "status";
      item.who.push_back(named);
      item.ranks = 1;
      item.said =
          wrong ? "ncclResult_t " + std::to_string(error != 0 ? error : setup)
          : setup == 7 ? "INIT"
                       : "ABORT";
      Keep(std::move(item));
    }
    const json& launched = Member(rank, "collective_counts");
    if (!launched.is_object()) continue;
    for (const auto& [operation, count] : launched.items()) {
      const int64_t number = Whole(count).value_or(0);
      CountGroup& group = counts[operation][number];
      ++group.ranks;
      group.launched = number;
      group.at = at_;
      group.named.push_back(named);
    }
  }
  RasItem missing = about;
  bool dead = false;
  for (const json& rank : Member(one, "missing_ranks")) {
    missing.who.push_back(RankOf(rank));
    const json& state = Member(Member(rank, "status"), "considered_dead");
    dead = dead || (state.is_boolean() && state.get<bool>());
  }
  missing.ranks =
      std::max<int64_t>(std::ssize(missing.who),
                        Whole(Member(one, "missing_ranks_count")).value_or(0));
  if (missing.ranks > 0) {
    missing.kind = dead ? "dead" : "missing";
    Keep(std::move(missing));
  }
  for (auto& [operation, groups] : counts) {
    std::vector<CountGroup> all;
    for (auto& [number, group] : groups) all.push_back(std::move(group));
    AddCounts(operation, std::move(all), about, reports_);
  }
}

}  // namespace inquest::hangs
