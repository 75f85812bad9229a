// SPDX-License-Identifier: Apache-2.0
// Issues the ENTER and EXIT callbacks around one API call, with the real
// parameter structs, for both API domains.
//
// Used by the wrappers that generate_api.py writes. When nobody subscribed to
// the cbid a call costs one load. There is an EXIT callback only if there was
// an ENTER, as subscribers expect. Runs on the calling thread, holds no lock.
#pragma once

#include "abi/callback_state.h"

namespace simgpu {

class TracedCall {
 public:
  TracedCall(const PrivateTable& table, CUpti_CallbackDomain domain,
             uint32_t cbid, const char* name, const void* params,
             const char* symbol);
  void Exit(void* result);

 private:
  void Issue(CUpti_ApiCallbackSite site);

  const PrivateTable& table_;
  CUpti_CallbackDomain domain_;
  uint32_t cbid_;
  uint64_t correlation_data_ = 0;
  CUpti_CallbackData data_ = {};
};

}  // namespace simgpu
