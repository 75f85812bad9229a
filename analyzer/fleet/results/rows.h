// SPDX-License-Identifier: Apache-2.0
// The rows of the fleet's tables, as sql/migrations describes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace inquest::fleet {

using OptionalText = std::optional<std::string>;
using OptionalInt = std::optional<int64_t>;

struct RunRow {
  std::string run, rules, source;
  OptionalText job, host;
  OptionalInt start_time, end_time;
  OptionalText times_from;
  OptionalInt exit_code, signal, world_size, gpus;
  OptionalText gpus_from;
  OptionalInt first_step, last_step;
  OptionalText steps_from;

  template <class V>
  void Columns(V& v) {
    v("run", run), v("rules", rules), v("source", source);
    v("job", job), v("host", host);
    v("start_time", start_time), v("end_time", end_time);
    v("times_from", times_from);
    v("exit_code", exit_code), v("signal", signal);
    v("world_size", world_size);
    v("gpus", gpus), v("gpus_from", gpus_from);
    v("first_step", first_step), v("last_step", last_step);
    v("steps_from", steps_from);
  }
};

struct JobRow {
  std::string job;
  OptionalInt gpus, elapsed_s;
  OptionalText state, nodes;

  template <class V>
  void Columns(V& v) {
    v("job", job), v("gpus", gpus), v("elapsed_s", elapsed_s);
    v("state", state), v("nodes", nodes);
  }
};

struct GpuRow {
  std::string run, gpu;
  OptionalText host, name;

  template <class V>
  void Columns(V& v) {
    v("run", run), v("gpu", gpu), v("host", host), v("name", name);
  }
};

struct VersionRow {
  std::string run, what, version;

  template <class V>
  void Columns(V& v) {
    v("run", run), v("what", what), v("version", version);
  }
};

// Where something happened.
struct UnitColumns {
  OptionalText host;
  OptionalInt rank, device;
  OptionalText gpu;

  template <class V>
  void Columns(V& v) {
    v("host", host), v("rank", rank), v("device", device), v("gpu", gpu);
  }
};

struct VerdictRow {
  std::string run, rules;
  OptionalText tool;
  std::string cause;
  OptionalText confidence, rule, title, summary;
  UnitColumns unit;
  OptionalText log_template;

  template <class V>
  void Columns(V& v) {
    v("run", run), v("rules", rules), v("tool", tool), v("cause", cause);
    v("confidence", confidence), v("rule", rule), v("title", title);
    v("summary", summary);
    unit.Columns(v);
    v("template", log_template);
  }
};

struct FindingRow {
  std::string run, rules, finding, rule, cause;
  OptionalText role, severity, confidence;
  bool survived = false;
  UnitColumns unit;
  OptionalInt first_time, count;

  template <class V>
  void Columns(V& v) {
    v("run", run), v("rules", rules), v("finding", finding);
    v("rule", rule), v("cause", cause), v("role", role);
    v("severity", severity), v("confidence", confidence);
    v("survived", survived);
    unit.Columns(v);
    v("first_time", first_time), v("count", count);
  }
};

// A whole result.
struct Result {
  RunRow run;
  VerdictRow verdict;
  std::vector<FindingRow> findings;
  std::vector<GpuRow> gpus;
  std::vector<VersionRow> versions;
};

}  // namespace inquest::fleet
