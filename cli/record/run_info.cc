// SPDX-License-Identifier: Apache-2.0
#include "cli/record/run_info.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/input_file.h"
#include "base/json_text.h"
#include "base/units.h"
#include "cli/record/fd.h"
#include "trace/journal/process_clock.h"
#include "trace/records/event.h"

namespace inquest::record {
namespace {

using nlohmann::json;

constexpr char kSchemaName[] = "inquest.run/";
constexpr int kSchema = 1;
constexpr size_t kMaxBytes = 16 << 20;  // of a run.json; a command has 2 MiB

std::string IsoTime(int64_t ns) {
  std::string text = FormatTime(ns);
  text[text.find(' ')] = 'T';
  return text + "Z";
}

template <typename T>
json OrNull(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

std::string State(const RunInfo& info) {
  if (!info.start_error.empty()) return "not started";
  return info.ended() ? "ended" : "running";
}

// Reads the field; keeps `value` if it is missing or of another type.
template <typename T>
void Get(const json& object, const char* name, T* value) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return;
  try {
    *value = found->get<T>();
  } catch (const json::exception&) {
    // A foreign or damaged field counts as missing.
  }
}

template <typename T>
void Get(const json& object, const char* name, std::optional<T>* value) {
  const auto found = object.find(name);
  if (found != object.end() && found->is_number_integer()) {
    *value = found->get<T>();
  }
}

const json& Child(const json& object, const char* name) {
  static const json kEmpty = json::object();
  const auto found = object.find(name);
  return found != object.end() && found->is_object() ? *found : kEmpty;
}

json ToJson(const std::vector<MemoryGroup>& groups) {
  json list = json::array();
  for (const MemoryGroup& group : groups) {
    list.push_back({{"path", group.path},
                    {"limit_bytes", OrNull(group.limit_bytes)},
                    {"used_bytes", OrNull(group.used_bytes)},
                    {"peak_bytes", OrNull(group.peak_bytes)},
                    {"refusals", OrNull(group.refusals)},
                    {"ooms", OrNull(group.ooms)},
                    {"oom_kills", OrNull(group.oom_kills)}});
  }
  return list;
}

std::vector<MemoryGroup> GroupsFrom(const json& object, const char* name) {
  std::vector<MemoryGroup> groups;
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) return groups;
  for (const json& one : *found) {
    if (!one.is_object()) continue;
    MemoryGroup& group = groups.emplace_back();
    Get(one, "path", &group.path);
    Get(one, "limit_bytes", &group.limit_bytes);
    Get(one, "used_bytes", &group.used_bytes);
    Get(one, "peak_bytes", &group.peak_bytes);
    Get(one, "refusals", &group.refusals);
    Get(one, "ooms", &group.ooms);
    Get(one, "oom_kills", &group.oom_kills);
  }
  return groups;
}

RunInfo FromJson(const json& object) {
  RunInfo info;
  Get(object, "command", &info.command);
  Get(object, "cwd", &info.cwd);
  Get(object, "host", &info.host);
  Get(object, "inquest_version", &info.inquest_version);
  Get(object, "pid", &info.pid);
  Get(object, "process_start", &info.process_start);
  Get(object, "pid_namespace", &info.pid_namespace);
  Get(object, "boot", &info.boot);
  Get(object, "start_ns", &info.start_ns);
  Get(object, "end_ns", &info.end_ns);
  Get(object, "exit_status", &info.exit_status);
  Get(object, "signal", &info.signal);
  Get(object, "core_dumped", &info.core_dumped);
  Get(object, "in_place", &info.in_place);
  Get(object, "start_error", &info.start_error);
  Get(Child(object, "collector"), "path", &info.collector);
  Get(Child(object, "collector"), "missing", &info.collector_missing);
  const json& console = Child(object, "console");
  Get(console, "file", &info.console_log);
  Get(console, "error", &info.console_error);
  Get(console, "bytes", &info.console_bytes);
  Get(console, "left_out", &info.console_left_out);
  Get(console, "left_open", &info.console_left_open);
  const json& groups = Child(object, "memory_groups");
  info.groups_before = GroupsFrom(groups, "before");
  info.groups_after = GroupsFrom(groups, "after");
  Get(object, "job", &info.job);
  return info;
}

Status CheckSchema(const std::string& path, const json& object) {
  std::string schema;
  if (object.is_object()) Get(object, "schema", &schema);
  const size_t prefix = sizeof kSchemaName - 1;
  if (!schema.starts_with(kSchemaName) || schema.size() == prefix) {
    return Unreadable(path + " was not written by inquest record");
  }
  const int version = atoi(schema.c_str() + prefix);
  if (version == kSchema) return Status::Ok();
  return Unreadable(fmt::format("{} has schema {}; this program knows {}{}",
                                path, schema, kSchemaName, kSchema))
      .WithHint("read it with the version of inquest that wrote it");
}

Status WriteFile(const std::string& path, const std::string& text) {
  UniqueFd file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  size_t done = 0;
  while (file.ok() && done < text.size()) {
    const ssize_t n = write(file.get(), &text[done], text.size() - done);
    if (n < 0 && errno != EINTR) break;
    if (n > 0) done += static_cast<size_t>(n);
  }
  // The name must never refer to data that a crash of the machine could lose.
  if (file.ok() && done == text.size() && fsync(file.get()) == 0) {
    return Status::Ok();
  }
  return Internal(fmt::format("cannot write {}: {}", path, strerror(errno)));
}

}  // namespace

std::string HostName() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, HOST_NAME_MAX) == 0 ? name : "";
}

// After a reboot none of the former processes exist.
std::string StateOf(const RunInfo& info) {
  if (info.ended()) return "ended";
  if (info.process_start == 0 || info.boot == 0) return {};
  if (info.boot != trace::BootHash()) {
    return info.host == HostName() && !info.in_place ? "vanished" : "";
  }
  if (info.pid_namespace != trace::PidNamespace()) return {};
  if (trace::ProcessStart(info.pid) == info.process_start) return "alive";
  return info.in_place ? "" : "vanished";
}

std::string RunInfoToJson(const RunInfo& info) {
  json object = {
      {"schema", fmt::format("{}{}", kSchemaName, kSchema)},
      {"state", State(info)},
      {"command", info.command},
      {"cwd", info.cwd},
      {"host", info.host},
      {"inquest_version", info.inquest_version},
      {"pid", info.pid},
      {"process_start", info.process_start},
      {"pid_namespace", info.pid_namespace},
      {"boot", info.boot},
      {"start_time", IsoTime(info.start_ns)},
      {"start_ns", info.start_ns},
      {"end_time", info.end_ns ? json(IsoTime(*info.end_ns)) : json(nullptr)},
      {"end_ns", OrNull(info.end_ns)},
      {"exit_status", OrNull(info.exit_status)},
      {"signal", OrNull(info.signal)},
      {"core_dumped", info.core_dumped},
      {"collector",
       {{"path", info.collector}, {"missing", info.collector_missing}}},
      {"console",
       {{"file", info.console_log},
        {"bytes", info.console_bytes},
        {"left_out", info.console_left_out},
        {"error", info.console_error},
        {"left_open", info.console_left_open}}},
      {"memory_groups",
       {{"before", ToJson(info.groups_before)},
        {"after", ToJson(info.groups_after)}}},
      {"job", info.job},
  };
  if (info.signal) object["signal_name"] = strsignal(*info.signal);
  if (info.in_place) object["in_place"] = true;
  if (!info.start_error.empty()) object["start_error"] = info.start_error;
  return JsonText(object, 2) + "\n";
}

Expected<RunInfo> ReadRunInfo(const std::string& directory) {
  const std::string path = directory + "/" + std::string(trace::kRunFile);
  ASSIGN_OR_RETURN(const std::string text,
                   ReadInput("the file", path, Links::kRefuse, kMaxBytes));
  // The name is claimed first, and filled before the command starts.
  if (text.empty()) {
    return Unreadable(path +
                      " is empty: the recorder was ended before it "
                      "started the command");
  }
  const json object = ParseJson(text);
  if (object.is_discarded()) {
    return Unreadable(path + " is not JSON, or is truncated");
  }
  RETURN_IF_ERROR(CheckSchema(path, object));
  return FromJson(object);
}

Status WriteRunInfo(const std::string& directory, const RunInfo& info) {
  const std::string path = directory + "/" + std::string(trace::kRunFile);
  const std::string fresh = path + ".new";
  Status status = WriteFile(fresh, RunInfoToJson(info));
  if (status.ok() && rename(fresh.c_str(), path.c_str()) != 0) {
    status =
        Internal(fmt::format("cannot replace {}: {}", path, strerror(errno)));
  }
  if (!status.ok()) unlink(fresh.c_str());
  return status;
}

}  // namespace inquest::record
