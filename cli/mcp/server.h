// SPDX-License-Identifier: Apache-2.0
// The methods of the Model Context Protocol that a server of tools needs
// (modelcontextprotocol.io/specification): initialize, ping, tools/list,
// tools/call.
#pragma once

#include "cli/mcp/json_rpc.h"
#include "cli/mcp/open_runs.h"

namespace inquest::mcp {

class Server {
 public:
  explicit Server(std::string version) : version_(std::move(version)) {}

  RpcAnswer Answer(const std::string& method, const nlohmann::json& params);

 private:
  RpcAnswer Initialize(const nlohmann::json& params) const;
  RpcAnswer Call(const nlohmann::json& params);

  std::string version_;
  OpenRuns runs_;
};

}  // namespace inquest::mcp
