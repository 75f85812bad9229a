// SPDX-License-Identifier: Apache-2.0
#include "analyzer/logs/reader/log_wraps.h"

#include <string>
#include <vector>

#include "tests/catch_compat.h"

using namespace inquest::ingest;

namespace {

const std::string kMessages[] = {
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
    "GPU 3 has a total capacity of 23.67 GiB of which 1.59 GiB is free. "
    "Process 4711 has 1.50 GiB memory in use. Including non-PyTorch memory, "
    "this process has 22.06 GiB memory in use. Of the allocated memory 19.75 "
    "GiB is allocated by PyTorch, with 96.00 MiB allocated in private pools "
    "(e.g., CUDA Graphs), and 1.78 GiB is reserved by PyTorch but unallocated.",
    "RuntimeError: CUDA out of memory. Tried to allocate 512.00 MiB (GPU 0; "
    "11.00 GiB total capacity; 9.25 GiB already allocated; 0 bytes free; 9.75 "
    "GiB reserved in total by PyTorch)"};

std::string Joined(const std::vector<std::string>& lines) {
  std::string whole = lines.front();
  for (size_t i = 1; i < lines.size(); ++i) {
    const bool open = i > 1 || BeginsBrokenMessage(whole);
    const auto more = open ? JoinBroken(whole, lines[i]) : std::nullopt;
    if (!more) return whole + "|" + lines[i];
    whole = *more;
  }
  return whole;
}

}  // namespace

TEST_CASE("a message cut at any column is whole again") {
  for (const std::string& message : kMessages) {
    const size_t begun = message.find("Tried to allocate ") + 18;
    for (size_t width = begun; width + 1 < message.size(); ++width) {
      CAPTURE(width);
      std::vector<std::string> lines;
      for (size_t at = 0; at < message.size(); at += width) {
        lines.push_back(message.substr(at, width));
      }
      CHECK(Joined(lines) == message);
    }
  }
}

TEST_CASE("a message broken between its words is whole again") {
  for (const std::string& message : kMessages) {
    for (size_t width = 52; width + 1 < message.size(); ++width) {
      CAPTURE(width);
      std::vector<std::string> lines;
      for (size_t at = 0; at < message.size();) {
        size_t end = std::min(at + width, message.size());
        if (end < message.size()) end = message.rfind(' ', end);
        lines.push_back((at == 0 ? "" : "    ") + message.substr(at, end - at));
        at = end + 1;
      }
      CHECK(Joined(lines) == message);
    }
  }
}

TEST_CASE("what follows an unfinished message is not its rest") {
  const std::string begun = "CUDA out of memory. Tried to allocate 2.00 GiB.";
  CHECK(BeginsBrokenMessage(begun));
  for (const char* other :
       {"", "Traceback (most recent call last):", "  File \"t.py\", line 3",
        "[W] x", "step 12 loss 1.5", "Killed", "^^^^^"}) {
    CAPTURE(other);
    CHECK_FALSE(JoinBroken(begun, other));
  }
  CHECK_FALSE(BeginsBrokenMessage(kMessages[0]));
  CHECK_FALSE(BeginsBrokenMessage(kMessages[1]));
  CHECK_FALSE(BeginsBrokenMessage("out of memory"));
}
