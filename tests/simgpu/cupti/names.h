// SPDX-License-Identifier: Apache-2.0
// Names of callbacks and results, from the toolkit's headers. Null for a
// number that has none. Pure functions.
#pragma once

#include <cstdint>

namespace simgpu::cupti {

const char* DriverCallbackName(uint32_t cbid);
const char* RuntimeCallbackName(uint32_t cbid);
const char* ResourceCallbackName(uint32_t cbid);
const char* ResultName(uint32_t result);

}  // namespace simgpu::cupti
