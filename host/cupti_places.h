// SPDX-License-Identifier: Apache-2.0
// Where CUPTI may be, in the order in which the collector tries. Looks at no
// file. Any thread.
#pragma once

#include <string>
#include <vector>

namespace inquest::host {

// Beside a libcudart in this folder, which ends with "/".
void AddCuptiBeside(const std::string& folder, std::vector<std::string>* paths);
// Names without a folder, which the dynamic linker searches, then the usual
// folders of the toolkit.
void AddUsualCupti(std::vector<std::string>* paths);

}  // namespace inquest::host
