// SPDX-License-Identifier: Apache-2.0
// Rows of the tables that reading logs fills: LogStore writes them, derive/
// reads them. Columns as in views/logs.sql and private.sql.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace inquest::facts {

// Of store_log_event.
struct LogEventRow {
  template <class V>
  void Columns(V& v) {
    v("signature", signature);
    v("role", role);
    v("severity", severity);
    v("cause", cause);
    v("fact", fact);
    v("source", source);
    v("path", path);
    v("line", line);
    v("offset", offset);
    v("time", time);
    v("time_error", time_error);
    v("rank", rank);
    v("pid", pid);
    v("host", host);
    v("device", device);
    v("text", text);
    v("figures", figures);
  }
  std::string_view signature, role, severity;
  std::optional<std::string_view> cause, fact;
  int64_t source = 0;
  std::string_view path = "";  // filled in after the log was read
  int64_t line = 0;
  int64_t offset = 0;
  std::optional<int64_t> time;
  int64_t time_error = 0;
  std::optional<int64_t> rank, pid;
  std::optional<std::string> host;
  std::optional<int64_t> device;
  std::string text;
  std::string figures;  // JSON
};

// A chunk in an allocator's dump: of store_log_chunk.
struct LogChunk {
  template <class V>
  void Columns(V& v) {
    v("source", source);
    v("line", line);
    v("rank", rank);
    v("address", address);
    v("bytes", bytes);
    v("free", free);
    v("op", op);
  }
  int64_t source = 0;
  int64_t line = 0;
  std::optional<int64_t> rank;
  int64_t address = 0;
  int64_t bytes = 0;
  bool free = false;
  std::optional<std::string> op;
};

// A frame of a Python traceback: of store_log_frame.
struct LogFrame {
  template <class V>
  void Columns(V& v) {
    v("source", source);
    v("line", line);
    v("rank", rank);
    v("file", file);
    v("file_line", file_line);
    v("function", function);
    v("dumped", dumped);
  }
  int64_t source = 0;
  int64_t line = 0;
  std::optional<int64_t> rank;
  std::string file;
  std::optional<int64_t> file_line;
  std::string function;
  // By faulthandler, whose stacks begin with the innermost frame.
  bool dumped = false;
};

// A frame of a C++ stack: of store_log_native_frame.
struct NativeFrame {
  template <class V>
  void Columns(V& v) {
    v("source", source);
    v("line", line);
    v("rank", rank);
    v("depth", depth);
    v("function", function);
    v("library", library);
    v("file", file);
    v("file_line", file_line);
  }
  int64_t source = 0;
  int64_t line = 0;
  std::optional<int64_t> rank;
  std::optional<int64_t> depth;  // as printed, 0 for the innermost
  std::string function;          // with arguments, perhaps mangled
  std::string library, file;     // empty: not told
  std::optional<int64_t> file_line;
};

}  // namespace inquest::facts
