// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp/json_rpc.h"

#include <unistd.h>

#include <cerrno>
#include <exception>

#include "base/json_text.h"

namespace inquest::mcp {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr size_t kMaxBytes = 4u << 20;

std::string Failed(const json& id, int code, const std::string& message) {
  return JsonText(
      ordered_json{{"jsonrpc", "2.0"},
                   {"id", id},
                   {"error", {{"code", code}, {"message", message}}}});
}

bool IsId(const json& id) {
  return id.is_string() || id.is_number_integer();
}

RpcAnswer Guarded(const RpcHandler& handle, const std::string& method,
                  const json& params) {
  try {
    return handle(method, params);
  } catch (const std::exception& error) {
    return {{}, kInternalError, std::string("internal error: ") + error.what()};
  }
}

}  // namespace

std::string AnswerLine(const std::string& line, const RpcHandler& handle) {
  const json message = ParseJson(line);
  if (message.is_discarded()) {
    return Failed(nullptr, kParseError, "the line is not JSON");
  }
  if (!message.is_object()) {
    return Failed(nullptr, kInvalidRequest,
                  "a message is one JSON object; batches are not supported");
  }
  const auto id = message.find("id");
  const bool asks = id != message.end();
  if (asks && !IsId(*id)) {
    return Failed(nullptr, kInvalidRequest, "'id' is a string or a number");
  }
  const auto method = message.find("method");
  if (method == message.end() || !method->is_string()) {
    // An answer of the client, to a question that was never asked.
    if (!asks || message.contains("result") || message.contains("error")) {
      return {};
    }
    return Failed(*id, kInvalidRequest, "'method' is missing");
  }
  if (!asks) return {};
  const json params = message.value("params", json::object());
  if (!params.is_object()) {
    return Failed(*id, kInvalidParams, "'params' is an object");
  }
  const RpcAnswer answer = Guarded(handle, method->get<std::string>(), params);
  if (answer.error != 0) return Failed(*id, answer.error, answer.message);
  return JsonText(
      ordered_json{{"jsonrpc", "2.0"}, {"id", *id}, {"result", answer.result}});
}

void ServeLines(int in, const RpcHandler& handle,
                const std::function<void(const std::string&)>& out) {
  std::string waiting;
  bool skipping = false;
  char bytes[65536];
  for (;;) {
    const ssize_t got = read(in, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    waiting.append(bytes, static_cast<size_t>(got));
    for (size_t end; (end = waiting.find('\n')) != waiting.npos;) {
      std::string line = waiting.substr(0, end);
      waiting.erase(0, end + 1);
      if (line.ends_with('\r')) line.pop_back();
      if (std::exchange(skipping, false) ||
          line.find_first_not_of(" \t") == line.npos) {
        continue;
      }
      const std::string answer = AnswerLine(line, handle);
      if (!answer.empty()) out(answer + "\n");
    }
    if (waiting.size() <= kMaxBytes) continue;
    waiting.clear();
    if (!skipping) {
      out(Failed(nullptr, kInvalidRequest, "the line is longer than 4 MiB") +
          "\n");
    }
    skipping = true;
  }
}

}  // namespace inquest::mcp
