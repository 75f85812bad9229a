// SPDX-License-Identifier: Apache-2.0
// Gathers the frames of C++ stacks in logs (native_place.h) into stacks, each
// with the lines that it may belong to and its place.
#pragma once

#include "analyzer/facts/store/store.h"

namespace inquest::facts {

// Fills store_native_stack from store_native_frame.
Status CollectNativeStacks(Store* store);

}  // namespace inquest::facts
