// SPDX-License-Identifier: Apache-2.0
// CUPTI's callback API.
#include "cupti/names.h"
#include "cupti/subscriber.h"

using simgpu::cupti::Answer;
using simgpu::cupti::Flags;
using simgpu::cupti::FlagsOf;
using simgpu::cupti::IsSubscriber;

namespace {

bool IsDomain(CUpti_CallbackDomain domain) {
  return domain > CUPTI_CB_DOMAIN_INVALID && domain < CUPTI_CB_DOMAIN_SIZE;
}

CUptiResult Enable(uint32_t enable, CUpti_CallbackDomain domain) {
  const Flags flags = FlagsOf(domain);
  for (uint32_t i = 1; i < flags.count; ++i) flags.first[i].store(enable != 0);
  return CUPTI_SUCCESS;
}

}  // namespace

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* out,
                           CUpti_CallbackFunc callback, void* userdata) {
  return Answer(simgpu::cupti::Subscribe(out, callback, userdata, nullptr));
}

#ifdef CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN  // from CUDA 13.0 on
CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* out,
                              CUpti_CallbackFunc callback, void* userdata,
                              CUpti_SubscriberParams* params) {
  return Answer(simgpu::cupti::Subscribe(out, callback, userdata, params));
}
#endif

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  return Answer(simgpu::cupti::Unsubscribe(subscriber));
}

CUptiResult cuptiFinalize() {
  simgpu::cupti::UnsubscribeAnyone();
  return Answer(CUPTI_SUCCESS);
}

CUptiResult cuptiEnableCallback(uint32_t enable,
                                CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain,
                                CUpti_CallbackId cbid) {
  if (!IsSubscriber(subscriber) || !IsDomain(domain)) {
    return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  }
  const Flags flags = FlagsOf(domain);
  if (flags.count == 0) return Answer(CUPTI_SUCCESS);
  if (cbid == 0 || cbid >= flags.count) {
    return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  }
  flags.first[cbid].store(enable != 0);
  return Answer(CUPTI_SUCCESS);
}

CUptiResult cuptiEnableDomain(uint32_t enable,
                              CUpti_SubscriberHandle subscriber,
                              CUpti_CallbackDomain domain) {
  if (!IsSubscriber(subscriber) || !IsDomain(domain)) {
    return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  }
  return Answer(Enable(enable, domain));
}

CUptiResult cuptiEnableAllDomains(uint32_t enable,
                                  CUpti_SubscriberHandle subscriber) {
  if (!IsSubscriber(subscriber)) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  for (int domain = 1; domain < CUPTI_CB_DOMAIN_SIZE; ++domain) {
    Enable(enable, static_cast<CUpti_CallbackDomain>(domain));
  }
  return Answer(CUPTI_SUCCESS);
}

CUptiResult cuptiGetCallbackState(uint32_t* enable,
                                  CUpti_SubscriberHandle subscriber,
                                  CUpti_CallbackDomain domain,
                                  CUpti_CallbackId cbid) {
  if (enable == nullptr || !IsSubscriber(subscriber) || !IsDomain(domain)) {
    return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  }
  const Flags flags = FlagsOf(domain);
  if (cbid >= flags.count) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  *enable = flags.first[cbid].load();
  return Answer(CUPTI_SUCCESS);
}

CUptiResult cuptiSupportedDomains(size_t* count, CUpti_DomainTable* table) {
  static CUpti_CallbackDomain domains[] = {
      CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API,
      CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_SYNCHRONIZE};
  if (count == nullptr || table == nullptr) {
    return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  }
  *count = 4;
  *table = domains;
  return Answer(CUPTI_SUCCESS);
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid,
                                 const char** name) {
  if (name == nullptr) return Answer(CUPTI_ERROR_INVALID_PARAMETER);
  *name = nullptr;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    *name = simgpu::cupti::DriverCallbackName(cbid);
  } else if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
    *name = simgpu::cupti::RuntimeCallbackName(cbid);
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    *name = simgpu::cupti::ResourceCallbackName(cbid);
  }
  return Answer(*name ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER);
}

}  // extern "C"
