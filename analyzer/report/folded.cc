// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/folded.h"

#include <algorithm>
#include <vector>

#include "base/units.h"

namespace inquest::report {
namespace {

constexpr std::string_view kCaller = " < ";

// A frame has neither what parts frames nor what ends a line.
std::string Frame(std::string_view name) {
  std::string frame = Printable(name);
  std::ranges::replace(frame, ';', ':');
  return frame;
}

std::string Folded(std::string_view chain) {
  std::vector<std::string> frames;
  while (!chain.empty()) {
    const size_t end = chain.find(kCaller);
    frames.push_back(Frame(chain.substr(0, end)));
    chain.remove_prefix(end == chain.npos ? chain.size()
                                          : end + kCaller.size());
  }
  std::string line;
  for (auto one = frames.rbegin(); one != frames.rend(); ++one) {
    line += (line.empty() ? "" : ";") + *one;
  }
  return line;
}

const char* Column(const std::string& weight) {
  if (weight == "count") return "allocations";
  if (weight == "peak") {
    return "coalesce((SELECT sum(p.bytes) FROM peak_site AS p WHERE p.site = "
           "s.site), 0)";
  }
  return "live_bytes";
}

}  // namespace

Expected<std::string> FoldedStacks(facts::Store* store,
                                   const std::string& weight,
                                   Redactor* redactor) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(std::string("SELECT process, device, chain, ") +
                          Column(weight) +
                          " AS weight FROM allocation_site AS s WHERE weight > "
                          "0 ORDER BY weight DESC, site"));
  std::string text;
  int64_t process = 0, device = 0, of = 0;
  std::string chain;
  while (row.Next(&process, &device, &chain, &of)) {
    if (redactor != nullptr) chain = redactor->Redacted(chain);
    text += "process " + std::to_string(process) + ";GPU " +
            std::to_string(device) + ";" + Folded(chain) + " " +
            std::to_string(of) + "\n";
  }
  RETURN_IF_ERROR(row.status());
  return text;
}

}  // namespace inquest::report
