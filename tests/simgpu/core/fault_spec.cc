// SPDX-License-Identifier: Apache-2.0
#include "core/fault_spec.h"

#include <limits>

#include "core/text.h"

namespace simgpu {
namespace {

// Returns false if `key` is not a numeric key.
bool SetNumber(const std::string& key, uint64_t value, FaultSpec* spec) {
  if (key == "after") {
    spec->after = value;
  } else if (key == "count") {
    spec->count = value;
  } else if (key == "result") {
    spec->result = static_cast<int>(value);
  } else if (key == "sticky") {
    spec->sticky = value != 0;
  } else if (key == "async") {
    spec->async = value != 0;
  } else if (key == "delay_us") {
    spec->delay_us = value;
  } else if (key == "xid") {
    spec->xid = static_cast<int>(value);
  } else if (key == "after_ms") {
    spec->after_ms = value;
  } else if (key == "device") {
    spec->device = static_cast<int>(value);
  } else {
    return false;
  }
  return true;
}

std::string SetKey(const std::string& item, FaultSpec* spec) {
  const size_t equals = item.find('=');
  if (equals == std::string::npos) return "\"" + item + "\" has no '='";
  const std::string key = item.substr(0, equals);
  const std::string value = item.substr(equals + 1);
  if (key == "call") {
    spec->call = value;
    return "";
  }
  uint64_t number = 0;
  if (!ParseNumber(value, &number) ||
      number > std::numeric_limits<int>::max()) {
    return key + " needs a number, not \"" + value + "\"";
  }
  return SetNumber(key, number, spec) ? "" : "unknown key \"" + key + "\"";
}

}  // namespace

std::string ParseFault(const std::string& rule, FaultSpec* spec) {
  for (const std::string& item : Split(rule, ',')) {
    const std::string why = SetKey(item, spec);
    if (!why.empty()) return why;
  }
  if (spec->call.empty() == (spec->xid == 0)) {
    return "needs either call=NAME or xid=NUMBER";
  }
  if (spec->xid == 0 && spec->result == 0 && spec->delay_us == 0) {
    return "needs result=CODE or delay_us=TIME";
  }
  return "";
}

}  // namespace simgpu
