// SPDX-License-Identifier: Apache-2.0
// Reads `allocations:` of a test.
#include <algorithm>

#include "authoring/ruletests/test_loader_parts.h"
#include "base/units.h"

namespace inquest::ruletests {
namespace {

using rules::Fields;
using rules::KeySpec;
using rules::Shape;

constexpr KeySpec kProcessKeys[] = {{"device_bytes", Shape::kAny, true},
                                    {"devices", Shape::kPositive},
                                    {"series", Shape::kMappings, true},
                                    {"steps", Shape::kPositive},
                                    {"fail", Shape::kAny},
                                    {"others", Shape::kMapping},
                                    {"rank", Shape::kAny},
                                    {"pid", Shape::kPositive},
                                    {"gpu", Shape::kText}};
constexpr KeySpec kSeriesKeys[] = {{"site", Shape::kText, true},
                                   {"device", Shape::kAny},
                                   {"hold", Shape::kAny},
                                   {"pieces", Shape::kPositive},
                                   {"free_every", Shape::kPositive},
                                   {"grow", Shape::kAny},
                                   {"free", Shape::kAny},
                                   {"scratch", Shape::kAny},
                                   {"from", Shape::kAny},
                                   {"steps", Shape::kPositive}};
constexpr KeySpec kFailKeys[] = {{"bytes", Shape::kAny, true},
                                 {"site", Shape::kText},
                                 {"kind", Shape::kText},
                                 {"device", Shape::kAny},
                                 {"survived", Shape::kBool}};
constexpr KeySpec kOthersKeys[] = {{"bytes", Shape::kAny, true},
                                   {"pid", Shape::kPositive},
                                   {"name", Shape::kText}};
constexpr std::pair<std::string_view, int> kKinds[] = {
    {"device", 0}, {"managed", 0}, {"async", 0}, {"host", 0}};

constexpr int64_t kMaxDevices = 64;
// Of one test: it is to show a rule, not to load it.
constexpr size_t kMaxProcesses = 32;
constexpr int64_t kMaxEvents = 100'000;

Series ReadSeries(Fields* fields) {
  fields->Check(kSeriesKeys, "a series");
  Series series;
  series.place = fields->place();
  series.site = fields->Text("site");
  series.device = ReadInteger(fields, "device").value_or(0);
  series.hold = ReadSize(fields, "hold").value_or(0);
  series.pieces = std::max<int64_t>(1, fields->Number("pieces"));
  series.free_every = fields->Number("free_every");
  series.grow = ReadSize(fields, "grow").value_or(0);
  series.free = ReadSize(fields, "free").value_or(0);
  series.scratch = ReadSize(fields, "scratch").value_or(0);
  series.from = ReadInteger(fields, "from").value_or(0);
  series.steps = fields->Number("steps");
  if (series.free > series.grow) {
    fields->Error(fields->Where("free"),
                  {"T012", "'free' is more than 'grow'",
                   "it is the part of a step's bytes that is freed again", ""});
  }
  return series;
}

Refused ReadFail(Fields* fields) {
  Refused fail;
  fail.place = fields->Where("fail");
  if (!fields->Value("fail").is_object()) {
    fail.bytes = ReadSize(fields, "fail").value_or(0);
    return fail;
  }
  Fields mapping = fields->Child("fail");
  mapping.Check(kFailKeys, "'fail'");
  fail.bytes = ReadSize(&mapping, "bytes").value_or(0);
  fail.site = mapping.Text("site");
  fail.kind = mapping.Text("kind", "device");
  mapping.Choice("kind", kKinds, 0);
  fail.device = ReadInteger(&mapping, "device").value_or(0);
  fail.survived = mapping.Bool("survived");
  if (mapping.failed()) fields->Fail();
  return fail;
}

void ReadOthers(Fields* fields, Process* process) {
  Fields others = fields->Child("others");
  others.Check(kOthersKeys, "'others'");
  process->other_bytes = ReadSize(&others, "bytes").value_or(0);
  if (others.Has("pid")) process->other_pid = others.Number("pid");
  process->other_name = others.Text("name", process->other_name);
  if (others.failed()) fields->Fail();
}

int64_t StepsOf(const Process& process) {
  int64_t steps = 1;
  for (const Series& one : process.series) {
    const int64_t length = std::max<int64_t>(1, one.steps);
    steps = std::max(steps, std::max<int64_t>(0, one.from) + length);
  }
  return steps;
}

double EventsOf(const Process& process) {
  double events = static_cast<double>(process.steps) * 2;
  for (const Series& one : process.series) {
    events += static_cast<double>(one.pieces) * 2 +
              static_cast<double>(process.steps) * 4;
  }
  return events;
}

void TooManyEvents(Fields* fields) {
  fields->Error(
      fields->place(),
      {"T022", "this makes more than " + FormatCount(kMaxEvents) + " events",
       "", "fewer, larger steps show the same"});
}

void CheckDevices(Fields* fields, const Process& process) {
  bool devices = process.fail ? process.fail->device >= 0 &&
                                    process.fail->device < process.devices
                              : true;
  for (const Series& one : process.series) {
    devices = devices && one.device >= 0 && one.device < process.devices;
  }
  if (!devices) {
    fields->Error(fields->place(), {"T012", "a device number is out of range",
                                    "", "say how many with 'devices'"});
  }
}

Process ReadProcess(Fields* fields) {
  fields->Check(kProcessKeys, "'allocations'");
  Process process;
  process.place = fields->place();
  if (fields->Has("pid")) process.pid = fields->Number("pid");
  process.rank = ReadInteger(fields, "rank");
  process.gpu = fields->Text("gpu", process.gpu);
  process.device_bytes = ReadSize(fields, "device_bytes").value_or(0);
  for (Fields& series : fields->Children("series")) {
    process.series.push_back(ReadSeries(&series));
    const int64_t device = process.series.back().device;
    process.devices =
        std::max(process.devices, std::min(device, kMaxDevices) + 1);
    if (series.failed()) fields->Fail();
  }
  if (fields->Has("fail")) process.fail = ReadFail(fields);
  if (fields->Value("others").is_object()) ReadOthers(fields, &process);
  if (fields->Has("devices")) process.devices = fields->Number("devices");
  process.devices = std::min(process.devices, kMaxDevices);
  process.steps =
      fields->Has("steps") ? fields->Number("steps") : StepsOf(process);
  CheckDevices(fields, process);
  return process;
}

}  // namespace

std::vector<Process> ReadAllocations(Fields* given) {
  std::vector<Process> processes;
  if (!given->Has("allocations")) return processes;
  if (given->Value("allocations").is_object()) {
    Fields one = given->Child("allocations");
    processes.push_back(ReadProcess(&one));
    if (EventsOf(processes[0]) > kMaxEvents) TooManyEvents(&one);
    if (one.failed()) given->Fail();
    return processes;
  }
  double events = 0;
  for (Fields& one : given->Children("allocations")) {
    if (processes.size() == kMaxProcesses) {
      one.Error(one.place(), {"T022",
                              "more than " + std::to_string(kMaxProcesses) +
                                  " processes in one test",
                              "", "a few show the same"});
      given->Fail();
      break;
    }
    processes.push_back(ReadProcess(&one));
    events += EventsOf(processes.back());
    if (events > kMaxEvents) TooManyEvents(&one);
    if (one.failed()) given->Fail();
    if (events > kMaxEvents) break;
  }
  if (processes.empty()) {
    given->Error(
        given->Where("allocations"),
        {"T012", "'allocations' must be a mapping or a list of them", "", ""});
  }
  return processes;
}

}  // namespace inquest::ruletests
