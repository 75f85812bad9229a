// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/folded.h"

#include <algorithm>
#include <vector>

#include "analyzer/report/native_calls.h"
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

int64_t WeightOf(const NativeCalls& calls, const std::string& weight) {
  if (weight == "count") return calls.allocations;
  return weight == "peak" ? calls.peak_bytes : calls.live_bytes;
}

// The lines of one site: a line for each way that native code took below
// Python, and one for what is not known to have taken any.
class SiteLines {
 public:
  SiteLines(std::string begin, Redactor* redactor)
      : begin_(std::move(begin)), redactor_(redactor) {}

  void Add(const std::vector<std::string>& below, int64_t weight) {
    if (weight <= 0) return;
    text_ += begin_;
    for (const std::string& name : below) {
      text_ += ';' + Frame(redactor_ ? redactor_->Redacted(name) : name);
    }
    text_ += ' ' + std::to_string(weight) + '\n';
  }
  const std::string& text() const { return text_; }

 private:
  std::string begin_;
  Redactor* redactor_;
  std::string text_;
};

}  // namespace

Expected<std::string> FoldedStacks(facts::Store* store,
                                   const std::string& weight,
                                   Redactor* redactor) {
  ASSIGN_OR_RETURN(
      Statement row,
      store->db().Prepare(std::string("SELECT site, process, device, chain, ") +
                          Column(weight) +
                          " AS weight FROM allocation_site AS s WHERE weight > "
                          "0 ORDER BY weight DESC, site"));
  ASSIGN_OR_RETURN(NativeCallsReader native, NativeCallsReader::Read(store));
  std::string text;
  int64_t site = 0, process = 0, device = 0, left = 0;
  std::string chain;
  while (row.Next(&site, &process, &device, &chain, &left)) {
    if (redactor != nullptr) chain = redactor->Redacted(chain);
    SiteLines lines("process " + std::to_string(process) + ";GPU " +
                        std::to_string(device) + ";" + Folded(chain),
                    redactor);
    for (const NativeCalls& calls : native.Of(site)) {
      const int64_t part = std::min(left, WeightOf(calls, weight));
      lines.Add(calls.functions, part);
      left -= std::max<int64_t>(part, 0);
    }
    lines.Add({}, left);
    text += lines.text();
  }
  RETURN_IF_ERROR(row.status());
  return text;
}

}  // namespace inquest::report
