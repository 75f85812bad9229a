// SPDX-License-Identifier: Apache-2.0
// `inquest mcp`: the diagnosis for agents, by the Model Context Protocol.
#include <unistd.h>

#include <cstdio>

#include "cli/command.h"
#include "cli/mcp/server.h"

namespace inquest::cli {
namespace {

int Serve() {
  mcp::Server server(INQUEST_VERSION);
  mcp::ServeLines(
      STDIN_FILENO,
      [&](const std::string& method, const nlohmann::json& params) {
        return server.Answer(method, params);
      },
      [](const std::string& line) {
        PrintAsItIs(line);
        fflush(stdout);
      });
  return kDone;
}

}  // namespace

void AddMcp(Command program) {
  const Command command = program.Add(
      "mcp", "Answer an agent's questions about runs, over standard input");
  command.Footer(
      "Speaks the Model Context Protocol (JSON-RPC, a line a message) until\n"
      "the end of its input, reads only, and opens no network connection. Its\n"
      "tools: diagnose, explain, query, facts; docs/SKILL.md says when to\n"
      "call which.\n"
      "\n"
      "The entry in a client's settings:\n"
      "  {\"mcpServers\": {\"inquest\": {\"command\": \"inquest\", \"args\": "
      "[\"mcp\"]}}}");
  command.Run(Serve);
}

}  // namespace inquest::cli
