// SPDX-License-Identifier: Apache-2.0
// Parses and matches single lines; see log_scanner.h.

#include <algorithm>
#include <utility>

#include "analyzer/logs/carriers/log_header.h"
#include "analyzer/logs/carriers/log_json.h"
#include "analyzer/logs/reader/log_scanner.h"
#include "analyzer/logs/reader/log_text.h"

namespace inquest::ingest {
namespace {

constexpr int64_t kAfterTrouble = 16;

// The JSON around a line takes precedence over the line itself.
void AddJson(const JsonLine& json, Prefixed* prefixed) {
  if (json.stamp) prefixed->stamp = json.stamp;
  if (!json.host.empty() && !prefixed->host) prefixed->host = json.host;
  if (!prefixed->rank) prefixed->rank = json.rank;
  if (!prefixed->pid) prefixed->pid = json.pid;
  prefixed->kernel = prefixed->kernel || json.kernel;
  prefixed->partial = json.partial;
}

int64_t TextBytes(const Figures& figures) {
  int64_t bytes = 0;
  for (const auto& [name, figure] : figures) {
    if (figure.IsText()) bytes += std::ssize(figure.Text());
  }
  return bytes;
}

}  // namespace

// Splits a raw line: one line, unless it is JSON around several.
void LogScanner::TakeApart(const Raw& raw,
                           const std::function<void(Line*)>& use) {
  const auto longest = static_cast<size_t>(limits_.max_line_bytes);
  const std::string_view text = raw.text.substr(0, longest);
  std::optional<JsonLine> json;
  if (profile_.json_lines) json = UnwrapJsonLine(text);
  std::string_view rest = json ? std::string_view(json->text) : text;
  for (bool more = true; more;) {
    const size_t end = json ? rest.find('\n') : rest.npos;
    Line line;
    line.line.number = raw.number;
    line.line.offset = raw.offset;
    line.line.cut = raw.text.size() > longest;
    line.width = raw.text.size();
    if (Unwrap(rest.substr(0, end), json ? &*json : nullptr, &line)) use(&line);
    more = end != rest.npos;
    if (more) rest.remove_prefix(end + 1);
  }
}

// False while a container's partial line is incomplete.
bool LogScanner::Unwrap(std::string_view text, const JsonLine* json,
                        Line* out) {
  std::string clean;
  if (NeedsCleaning(text)) {
    CleanText(text, &clean);
    text = clean;
  }
  Prefixed prefixed = StripPrefixes(text, profile_);
  if (json != nullptr) AddJson(*json, &prefixed);
  out->kernel = prefixed.kernel;
  out->line.rank = prefixed.rank;
  out->line.group_rank = prefixed.group_rank;
  NameUnit(prefixed, &out->line);
  out->line.pid = prefixed.pid;
  out->line.device = prefixed.device;
  if (prefixed.host) out->line.host = std::string(*prefixed.host);
  ReadTime(prefixed, &out->line);
  out->text = prefixed.text;
  return Join(prefixed.partial, out);
}

// In a log of one rank the loggers' numbers are those of its groups.
void LogScanner::NameUnit(const Prefixed& prefixed, LogLine* line) const {
  const auto& rank = facts_.unit.rank;
  if (!rank || prefixed.global_rank || prefixed.kernel) return;
  if (line->rank && line->rank != rank) line->group_rank = line->rank;
  line->rank = rank;
}

// Container runtimes split lines of more than 16 KiB.
bool LogScanner::Join(bool partial, Line* out) {
  if (!has_pending_) {
    if (!partial) return true;
    pending_ = std::move(*out);
    has_pending_ = true;
    return false;
  }
  const auto longest = static_cast<size_t>(limits_.max_line_bytes);
  pending_.text += out->text;
  if (pending_.text.size() > longest) {
    pending_.text.resize(longest);
    pending_.line.cut = true;
  }
  if (partial) return false;
  *out = std::exchange(pending_, {});
  has_pending_ = false;
  return true;
}

void LogScanner::ReadTime(const Prefixed& prefixed, LogLine* line) {
  if (!prefixed.stamp) return;
  if (prefixed.stamp->clock == LogStamp::Clock::kBoot) {
    clock_.CalibrateByRtc(prefixed.text, prefixed.stamp->ns);
  }
  const auto time = clock_.Date(*prefixed.stamp);
  if (!time) return;
  if (prefixed.boot_ns && prefixed.stamp->clock != LogStamp::Clock::kBoot) {
    clock_.Calibrate(*time, *prefixed.boot_ns);
  }
  line->time_ns = time->ns;
  line->time_error_ns = time->error_ns;
  facts_.zone_unknown = facts_.zone_unknown || !time->zone_known;
  if (!facts_.first_time_ns) facts_.first_time_ns = time->ns;
  facts_.last_time_ns = time->ns;
}

// Attempts without an event. Both lists are sorted by index.
void LogScanner::CountMisses() {
  auto hit = hits_.begin();
  for (const size_t signature : tried_) {
    while (hit != hits_.end() && hit->signature < signature) ++hit;
    if (hit == hits_.end() || hit->signature != signature) {
      thinner_.CountTry(signature);
    }
  }
}

void LogScanner::SwitchOffGreedy() {
  for (const size_t i : budget_->Greediest(thinner_.muted())) {
    thinner_.SwitchOff(i);
  }
  candidate_ = 0;  // computed with them
}

// `^` in a signature matches the start of a line's words, except for progress
// and completion: "INFO done" is logged about every part. What excepts a line
// may stand before its words: "WARNING".
void LogScanner::MatchWords(std::string_view text) {
  if (tried_.empty()) return;
  const size_t header = HeaderLength(text);
  if (header == 0) return;
  std::vector<rules::SignatureHit> words;
  std::vector<size_t> tried;
  signatures_.Match(text.substr(header), &words, thinner_.muted(), &tried,
                    budget_, rules::SignatureSet::Try::kAnchored);
  const auto known = [&](size_t signature) {
    return std::any_of(hits_.begin(), hits_.end(), [&](const auto& hit) {
      return hit.signature == signature;
    });
  };
  for (rules::SignatureHit& hit : words) {
    const rules::Role role = signatures_.role(hit.signature);
    if (role == rules::Role::kProgress || role == rules::Role::kFinish ||
        known(hit.signature) || signatures_.IsExcepted(hit.signature, text)) {
      continue;
    }
    hits_.push_back(std::move(hit));
  }
  std::stable_sort(
      hits_.begin(), hits_.end(),
      [](const auto& a, const auto& b) { return a.signature < b.signature; });
}

// An error that is logged again and again in equal words is matched once.
bool LogScanner::MatchedBefore(const std::string& text) {
  if (text != last_.text || thinner_.muted() != last_.muted) return false;
  hits_ = last_.hits;
  tried_ = last_.tried;
  return true;
}

void LogScanner::Match(const Line& line) {
  if (!MatchedBefore(line.text)) {
    hits_.clear();
    tried_.clear();
    signatures_.Match(line.text, &hits_, thinner_.muted(), &tried_, budget_);
    MatchWords(line.text);
    last_ = {line.text, thinner_.muted(), hits_, tried_};
  }
  CountMisses();
  if (budget_->IsOverdrawn()) SwitchOffGreedy();
}

void LogScanner::Emit(Line* line) {
  Match(*line);
  EmitHits(line, {});
}

void LogScanner::EmitHits(Line* line, const std::vector<size_t>& but) {
  line->line.text = line->text;
  for (rules::SignatureHit& hit : hits_) {
    if (line->kernel && signatures_.IsAppOnly(hit.signature)) continue;
    if (std::find(but.begin(), but.end(), hit.signature) != but.end()) continue;
    facts_.bad_captures += hit.bad_captures;
    ++facts_.events;
    if (signatures_.role(hit.signature) != rules::Role::kSuspect) {
      facts_.not_text = false;
    }
    const rules::Role role = signatures_.role(hit.signature);
    if (role == rules::Role::kCause || role == rules::Role::kSymptom) {
      repeats_.CountError();
      has_error_ = true;
    }
    thinner_.CountEvent(hit.signature);
    budget_->CountEvent(hit.signature, TextBytes(hit.figures));
    if (budget_->IsOverdrawn()) SwitchOffGreedy();
    if (thinner_.IsTrouble(hit.signature) && thinner_.Allow(kAfterTrouble)) {
      candidate_ = 0;  // computed without the unmuted ones
    }
    sink_->OnEvent(
        {hit.signature, source_, line->line, std::move(hit.figures)});
  }
}

}  // namespace inquest::ingest
