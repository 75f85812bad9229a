// SPDX-License-Identifier: Apache-2.0
#include "abi/traced_call.h"

namespace simgpu {

TracedCall::TracedCall(const PrivateTable& table, CUpti_CallbackDomain domain,
                       uint32_t cbid, const char* name, const void* params,
                       const char* symbol)
    : table_(table), domain_(domain), cbid_(cbid) {
  data_.functionName = name;
  data_.functionParams = params;
  data_.symbolName = symbol;
  data_.correlationData = &correlation_data_;
  data_.correlationId = table.callbacks->correlation.fetch_add(1) + 1;
  Issue(CUPTI_API_ENTER);
}

void TracedCall::Exit(void* result) {
  data_.functionReturnValue = result;
  Issue(CUPTI_API_EXIT);
}

void TracedCall::Issue(CUpti_ApiCallbackSite site) {
  const Dispatch dispatch = table_.callbacks->dispatch.load();
  if (dispatch == nullptr) return;
  data_.callbackSite = site;
  data_.context = table_.current_context();
  data_.contextUid = table_.context_uid(data_.context);
  dispatch(domain_, cbid_, &data_);
}

}  // namespace simgpu
