// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0 over lines (the stdio transport of the Model Context Protocol):
// a message a line, answers in the order of the requests. Whatever comes in, a
// line is answered or, if it is a notification, swallowed; nothing of it ends
// the server. One thread.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace inquest::mcp {

enum RpcError : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kNoSuchMethod = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
};

struct RpcAnswer {
  nlohmann::ordered_json result;
  int error = 0;  // RpcError; 0: there is a result
  std::string message = {};
};

// Answers a request by its method and parameters (an object).
using RpcHandler = std::function<RpcAnswer(const std::string& method,
                                           const nlohmann::json& params)>;

// The answer to a line, without the end of line; empty for a notification.
std::string AnswerLine(const std::string& line, const RpcHandler& handle);

// Reads lines from `in` until its end and writes the answers to `out`. A line
// of more than 4 MiB is answered with an error and skipped.
void ServeLines(int in, const RpcHandler& handle,
                const std::function<void(const std::string&)>& out);

}  // namespace inquest::mcp
