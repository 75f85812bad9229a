// SPDX-License-Identifier: Apache-2.0
// The one subscriber that CUPTI before 13.3 allows, and the flags that libcuda
// and libcudart read at each call.
//
// Used by cupti/callbacks.cc alone. Without the stand-in driver in the process
// every call answers CUPTI_ERROR_UNKNOWN, as the real library does on a
// machine without a driver. Thread-safe.
#pragma once

#include <cupti.h>

#include "abi/callback_state.h"

struct CUpti_Subscriber_st {
  CUpti_CallbackFunc callback = nullptr;
  void* userdata = nullptr;
  char name[64] = "";
};

namespace simgpu::cupti {

// Null when no stand-in driver can be loaded.
const PrivateTable* Driver();

CUptiResult Subscribe(CUpti_SubscriberHandle* out, CUpti_CallbackFunc callback,
                      void* userdata, CUpti_SubscriberParams* params);
CUptiResult Unsubscribe(CUpti_SubscriberHandle subscriber);
void UnsubscribeAnyone();
bool IsSubscriber(CUpti_SubscriberHandle subscriber);

// The flags of a domain; null and zero for one without callbacks.
struct Flags {
  std::atomic<uint8_t>* first = nullptr;
  uint32_t count = 0;
};
Flags FlagsOf(CUpti_CallbackDomain domain);

// Remembers the result for cuptiGetLastError and passes it on.
CUptiResult Answer(CUptiResult result);

}  // namespace simgpu::cupti
