// SPDX-License-Identifier: Apache-2.0
// The functions of CUPTI that are used, from a libcupti found at run time: the
// one that INQUEST_CUPTI names, one that is already loaded, the one beside the
// loaded libcudart (or where pip installs it), then by soname, then in the
// usual folders of the toolkit.
#pragma once

#include <cupti.h>

#include <string>

namespace inquest::collector {

// CUpti_SubscriberParams of CUDA 13.0, missing in older headers.
struct CuptiSubscriberName {
  size_t struct_size = sizeof(CuptiSubscriberName);
  const char* name = "inquest";
  char* holder = nullptr;  // which client uses CUPTI already, if we are refused
  size_t holder_size = 0;
};

struct CuptiApi {
  const char* path = "";  // the loader's; CUPTI is never unloaded
  CUptiResult (*subscribe)(CUpti_SubscriberHandle*, CUpti_CallbackFunc,
                           void*) = nullptr;
  CUptiResult (*subscribe_named)(CUpti_SubscriberHandle*, CUpti_CallbackFunc,
                                 void*, CuptiSubscriberName*) = nullptr;
  CUptiResult (*unsubscribe)(CUpti_SubscriberHandle) = nullptr;
  CUptiResult (*enable_callback)(uint32_t, CUpti_SubscriberHandle,
                                 CUpti_CallbackDomain,
                                 CUpti_CallbackId) = nullptr;
  CUptiResult (*enable_domain)(uint32_t, CUpti_SubscriberHandle,
                               CUpti_CallbackDomain) = nullptr;
  CUptiResult (*get_version)(uint32_t*) = nullptr;
  CUptiResult (*get_result_string)(CUptiResult, const char**) = nullptr;
  CUptiResult (*get_context_id)(CUcontext, uint32_t*) = nullptr;
};

// False, with the reason, if no usable CUPTI is found.
bool LoadCupti(const std::string& wanted, CuptiApi* api, std::string* why);

}  // namespace inquest::collector
