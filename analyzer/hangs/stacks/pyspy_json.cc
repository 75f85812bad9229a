// SPDX-License-Identifier: Apache-2.0
#include "analyzer/hangs/stacks/pyspy_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace inquest::hangs {
namespace {

using Json = nlohmann::json;

std::string PySpyWord(const Json& from, const char* name) {
  const auto at = from.find(name);
  if (at == from.end() || !at->is_string()) return {};
  std::string text = at->get<std::string>();
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

int64_t PySpyNumber(const Json& from, const char* name) {
  const auto at = from.find(name);
  return at != from.end() && at->is_number_integer() ? at->get<int64_t>() : 0;
}

bool PySpyFlag(const Json& from, const char* name) {
  const auto at = from.find(name);
  return at != from.end() && at->is_boolean() && at->get<bool>();
}

bool IsPySpyThread(const Json& one) {
  return one.is_object() && one.contains("thread_id") &&
         one.contains("owns_gil") && one.contains("frames") &&
         one["frames"].is_array();
}

std::string PySpyState(const Json& thread) {
  if (!PySpyFlag(thread, "active")) return "idle";
  return PySpyFlag(thread, "owns_gil") ? "active+gil" : "active";
}

std::string PySpyFrame(const Json& frame) {
  if (!frame.is_object()) return {};
  std::string file = PySpyWord(frame, "short_filename");
  if (file.empty()) file = PySpyWord(frame, "filename");
  const int64_t line = PySpyNumber(frame, "line");
  if (line == 0)
    return fmt::format("    {} ({})\n", PySpyWord(frame, "name"), file);
  return fmt::format("    {} ({}:{})\n", PySpyWord(frame, "name"), file, line);
}

std::string PySpyThread(const Json& thread) {
  const int64_t system = PySpyNumber(thread, "os_thread_id");
  const std::string name = PySpyWord(thread, "thread_name");
  std::string text = fmt::format(
      "Thread {} ({})", system != 0 ? system : PySpyNumber(thread, "thread_id"),
      PySpyState(thread));
  if (!name.empty()) text += ": \"" + name + "\"";
  text += "\n";
  for (const Json& frame : thread["frames"]) text += PySpyFrame(frame);
  return text;
}

std::string PySpyCommand(const Json& thread) {
  const auto at = thread.find("process_info");
  return at != thread.end() && at->is_object() ? PySpyWord(*at, "command_line")
                                               : "";
}

}  // namespace

std::optional<std::string> PySpyText(std::string_view text) {
  const Json threads = ParseJson(text);
  if (!threads.is_array() || threads.empty()) return {};
  std::string all;
  int64_t last = -1;
  for (const Json& thread : threads) {
    if (!IsPySpyThread(thread)) return {};
    if (const int64_t pid = PySpyNumber(thread, "pid"); pid != last) {
      all += fmt::format("Process {}: {}\n\n", pid, PySpyCommand(thread));
      last = pid;
    }
    all += PySpyThread(thread);
  }
  return all;
}

}  // namespace inquest::hangs
