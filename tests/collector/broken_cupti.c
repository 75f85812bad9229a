// SPDX-License-Identifier: Apache-2.0
// A libcupti in which the function that BROKEN_CUPTI names fails, or all do;
// the others do nothing, successfully. For harm_test.py.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { kSuccess = 0, kUnknown = 999 };

static int Result(const char* function) {
  const char* broken = getenv("BROKEN_CUPTI");
  if (broken == NULL) return kSuccess;
  const int fails = strcmp(broken, "all") == 0 || strcmp(broken, function) == 0;
  return fails ? kUnknown : kSuccess;
}

int cuptiGetVersion(uint32_t* version) {
  *version = 130000;
  return Result(__func__);
}
int cuptiGetDeviceId(void* context, uint32_t* device) {
  (void)context, *device = 0;
  return Result(__func__);
}
int cuptiGetContextId(void* context, uint32_t* id) {
  (void)context, *id = 1;
  return Result(__func__);
}
static int Subscribed(void** subscriber, const char* function) {
  static int one;
  *subscriber = &one;
  return Result(function);
}
int cuptiSubscribe(void** subscriber, void* callback, void* data) {
  (void)callback, (void)data;
  return Subscribed(subscriber, __func__);
}
// What collector prefers; without a name there is nothing to take back.
int cuptiSubscribe_v2(void** subscriber, void* callback, void* data,
                      void* name) {
  (void)callback, (void)data, (void)name;
  const int result = Result("cuptiSubscribe");
  return result != kSuccess ? result : Subscribed(subscriber, __func__);
}
int cuptiUnsubscribe(void* subscriber) {
  (void)subscriber;
  return Result(__func__);
}
int cuptiEnableCallback(uint32_t enable, void* subscriber, int domain,
                        uint32_t cbid) {
  (void)enable, (void)subscriber, (void)domain, (void)cbid;
  return Result(__func__);
}
int cuptiEnableDomain(uint32_t enable, void* subscriber, int domain) {
  (void)enable, (void)subscriber, (void)domain;
  return Result(__func__);
}
