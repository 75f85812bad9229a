// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analyzer/importers/flight_recorder/flight_forms.h"

namespace inquest::importers {
namespace {

using nlohmann::json;

constexpr size_t kMaxDumpBytes = 512u << 20;

Status ReadAll(ingest::ByteStream* bytes, std::string* text) {
  constexpr size_t kPiece = 1 << 20;
  for (;;) {
    const size_t size = text->size();
    text->resize(size + kPiece);
    const size_t got = bytes->Read(text->data() + size, kPiece);
    text->resize(size + got);
    if (got == 0) break;
    if (text->size() > kMaxDumpBytes) {
      return {StatusCode::kIncomplete,
              fmt::format("reading stopped at byte {}: it exceeds the "
                          "limit for a dump",
                          text->size())};
    }
  }
  const std::string& note = bytes->fault().note;
  return note.empty() ? Status::Ok() : Unreadable(note);
}

uint32_t StackOf(const json& entry, CallStacks* stacks) {
  const auto frames = entry.find("frames");
  if (frames == entry.end() || !frames->is_array()) return 0;
  std::vector<uint32_t> ids;
  for (const json& frame : *frames) {
    if (!frame.is_object()) continue;
    const auto text = [&](const char* key) {
      const auto found = frame.find(key);
      return found != frame.end() && found->is_string()
                 ? found->get<std::string>()
                 : std::string();
    };
    const auto line = frame.find("line");
    const bool has_line = line != frame.end() && line->is_number_integer();
    ids.push_back(stacks->Frame(
        text("filename"), has_line ? line->get<int64_t>() : 0, text("name")));
  }
  return stacks->Stack(ids);
}

}  // namespace

Status ReadFlightJson(ingest::ByteStream* bytes, FlightRecords* records,
                      json* root) {
  std::string text;
  Status fault = ReadAll(bytes, &text);
  size_t entries = 0;
  // Entries are taken as they are parsed. When the text is truncated, objects
  // that were complete are kept; the parser itself would drop them.
  json kept = json::object();
  const auto take = [&](int depth, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_end && depth >= 1 &&
        IsFlightEntry(parsed)) {
      ++entries;
      const uint32_t stack = StackOf(parsed, &records->stacks());
      parsed.erase("frames");
      records->Entry(parsed, stack);
      return false;
    }
    if (event == json::parse_event_t::object_end && depth <= 3) {
      if (parsed.contains("ranks") && parsed.contains("name")) {
        kept["pg_config"][parsed["name"].is_string()
                              ? parsed["name"].get<std::string>()
                              : parsed["name"].dump()] = parsed;
      }
    }
    return true;
  };
  *root = json::parse(text, take, false);
  if (root->is_discarded() || !root->is_object()) {
    if (fault.ok() && root->is_discarded()) {
      fault = Unreadable(fmt::format(
          "it is truncated or not JSON before byte {}", text.size()));
    }
    *root = kept;
  }
  const bool known =
      entries > 0 || root->contains("entries") || root->contains("pg_config") ||
      root->contains("pg_status") || root->contains("nccl_comm_state");
  if (!known) {
    return Usage(fault.ok()
                     ? "it is JSON, but not a dump of a flight recorder: "
                       "it has neither entries nor groups"
                     : fault.message());
  }
  return fault;
}

}  // namespace inquest::importers
