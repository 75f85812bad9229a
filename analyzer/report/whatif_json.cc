// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "analyzer/report/whatif_report.h"
#include "base/json_text.h"

namespace inquest::report {
namespace {

using nlohmann::ordered_json;
using whatif::Change;
using whatif::ChangeKind;
using whatif::History;
using whatif::Level;

template <typename T>
void Put(ordered_json* object, const char* name,
         const std::optional<T>& value) {
  if (value) (*object)[name] = *value;
}

void PutText(ordered_json* object, const char* name, const std::string& text) {
  if (!text.empty()) (*object)[name] = text;
}

const char* KindName(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kRecorded:
      return "recorded";
    case ChangeKind::kSetting:
      return "setting";
    case ChangeKind::kDemand:
      return "demand";
    case ChangeKind::kDevice:
      return "device";
    case ChangeKind::kComparison:
      break;
  }
  return "comparison";
}

ordered_json ChangeJson(const Change& change) {
  ordered_json object = {{"name", change.name},
                         {"kind", KindName(change.kind)},
                         {"family", change.family}};
  PutText(&object, "setting", change.setting);
  PutText(&object, "assumption", change.assumption);
  object["estimate"] = change.estimate;
  object["afresh"] = change.afresh;
  Put(&object, "survives", change.survives);
  object["helps"] = change.helps;
  object["peak_reserved_bytes"] = change.peak_reserved;
  object["peak_allocated_bytes"] = change.peak_allocated;
  Put(&object, "needed_bytes", change.needed);
  Put(&object, "margin_bytes", change.margin);
  Put(&object, "factor", change.factor);
  Put(&object, "least_reserved_bytes", change.least_reserved);
  Put(&object, "most_reserved_bytes", change.most_reserved);
  Put(&object, "least_allocated_bytes", change.least_allocated);
  Put(&object, "most_allocated_bytes", change.most_allocated);
  Put(&object, "surely", change.surely);
  Put(&object, "possibly", change.possibly);
  Put(&object, "more_steps", change.more_steps);
  if (change.refused) {
    object["refused"] = {{"request", change.refused->request},
                         {"bytes", change.refused->bytes},
                         {"allocated_bytes", change.refused->allocated},
                         {"reserved_bytes", change.refused->reserved},
                         {"largest_free_bytes", change.refused->largest_free}};
  }
  return object;
}

ordered_json RoomJson(const whatif::Room& room) {
  ordered_json object = ordered_json::object();
  Put(&object, "bytes", room.bytes);
  Put(&object, "device_bytes", room.total);
  object["other_processes_bytes"] = room.others;
  PutText(&object, "source", room.source);
  object["one_piece"] = room.one_piece;
  return object;
}

ordered_json CheckJson(const History& history, const whatif::Check& check) {
  ordered_json recorded = ordered_json::object();
  Put(&recorded, "peak_reserved_bytes", history.recorded.peak_reserved);
  Put(&recorded, "reserved_bytes_at_end", history.recorded.reserved_at_end);
  Put(&recorded, "segments_at_end", history.recorded.segments_at_end);
  recorded["peak_requested_bytes"] = history.recorded.peak_allocated;
  ordered_json model = {{"peak_reserved_bytes", check.peak_reserved},
                        {"segments_at_peak", check.peak_segments}};
  Put(&model, "reserved_bytes_at_end", check.reserved_at_end);
  Put(&model, "segments_at_end", check.segments_at_end);
  Put(&model, "largest_free_bytes_at_end", check.largest_free_at_end);
  Put(&model, "refuses_the_same", check.refuses_the_same);
  ordered_json object = {{"recorded", recorded}, {"model", model}};
  if (check.fresh_peak_reserved) {
    object["from_scratch"] = ordered_json::object();
    Put(&object["from_scratch"], "peak_reserved_bytes",
        check.fresh_peak_reserved);
    Put(&object["from_scratch"], "reserved_bytes_at_end",
        check.fresh_reserved_at_end);
  }
  return object;
}

ordered_json DeviceJson(const WhatifOfDevice& one) {
  const History& history = one.history;
  ordered_json object = {
      {"process", history.process},
      {"device", history.device},
      {"requests_to", history.level == Level::kDriver ? "driver" : "pool"},
      {"allocations", history.allocations},
      {"live_before", history.before.size()},
      {"refusals", history.refusals},
      {"steps", history.steps},
      {"settings", history.settings_text},
      {"room", RoomJson(history.room)},
      {"check", CheckJson(history, one.answer.check)},
      {"withheld", one.answer.withheld}};
  // Of the steps that a run would have taken after its death, none is known.
  object["past_request_only"] = history.died && history.steps == 0;
  if (history.uses.growing_peak > 0) {
    object["uses"] = {{"keeps_graph", history.uses.keeps_graph},
                      {"mixed_precision", history.uses.mixed},
                      {"copies_of_weights", history.uses.copies},
                      {"weights_bytes", history.uses.weights},
                      {"lasting_bytes", history.uses.lasting},
                      {"growing_peak_bytes", history.uses.growing_peak}};
  }
  object["changes"] = ordered_json::array();
  for (const Change& change : one.answer.changes) {
    object["changes"].push_back(ChangeJson(change));
  }
  object["not_tried"] = one.answer.untried;
  PutText(&object, "note", history.note);
  return object;
}

}  // namespace

std::string WhatifJson(const WhatifReport& report) {
  ordered_json object = {{"schema", "inquest.whatif/1"}};
  if (!report.cause.empty()) {
    object["verdict"] = {{"cause", report.cause},
                         {"wanted_device_memory", report.WantedMemory()}};
  }
  object["missing"] = report.missing;
  object["devices"] = ordered_json::array();
  for (const WhatifOfDevice& one : report.devices) {
    object["devices"].push_back(DeviceJson(one));
  }
  return JsonText(object, 2) + "\n";
}

}  // namespace inquest::report
