// SPDX-License-Identifier: Apache-2.0
// The share of one of several workers in a list: --shard i/n of a job array's
// or an Indexed Job's element. Every item belongs to exactly one share.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace inquest::cli {

struct Shard {
  size_t index = 0;  // from 0
  size_t count = 1;
};

// "3/16"; "" is everything.
Expected<Shard> ReadShard(const std::string& text);
// Each n-th, so that neighbours, which are often alike, are shared out.
std::vector<std::string> ShareOf(const std::vector<std::string>& all,
                                 const Shard& shard);
// A path a line; empty lines and those that begin with # are left out.
Expected<std::vector<std::string>> ReadPathList(const std::string& path);

}  // namespace inquest::cli
