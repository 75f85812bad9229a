// SPDX-License-Identifier: Apache-2.0
#include "cli/shares_given.h"

#include <fmt/format.h>

#include "base/ranges.h"

namespace inquest::cli {

Status SharesGiven::Add(const std::string& path,
                        const diagnosis::PartInfo& info) {
  if (info.shares <= 1) return Status::Ok();
  if (!path_.empty() && info.shares != shares_) {
    return Usage(fmt::format("'{}' is one of {} shares, '{}' one of {}: they "
                             "do not belong together",
                             path_, shares_, path, info.shares))
        .WithHint("remove those of the older division");
  }
  path_ = path;
  shares_ = info.shares;
  given_.insert(info.share);
  return Status::Ok();
}

Status SharesGiven::Missing() const {
  std::set<int64_t> missing;
  for (int64_t i = 0; i < shares_; ++i) {
    if (!given_.contains(i)) missing.insert(i);
  }
  if (missing.empty()) return Status::Ok();
  return Status(
             StatusCode::kIncomplete,
             fmt::format("of {} shares of the job, {} {} missing: {}", shares_,
                         missing.size(), missing.size() == 1 ? "is" : "are",
                         FormatRanges(missing)))
      .WithHint("what only their logs and traces tell is not known here");
}

}  // namespace inquest::cli
