// SPDX-License-Identifier: Apache-2.0
// TensorFlow's way to cuDNN: a library that exports cuDNN's own names, calls
// them through the PLT, and in them looks for the real ones, which it loads at
// the first call.
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

static void* Real(const char* name) {
  static void* library = NULL;
  if (library == NULL) library = dlopen("libcudnn.so.9", RTLD_NOW | RTLD_LOCAL);
  return library == NULL ? NULL : dlsym(library, name);
}

__attribute__((visibility("default"))) size_t cudnnGetVersion(void) {
  size_t (*real)(void) = (size_t(*)(void))Real("cudnnGetVersion");
  return real == NULL ? 0 : real();
}

__attribute__((visibility("default"))) int cudnnCreateTensorDescriptor(
    void** descriptor) {
  int (*real)(void**) = (int (*)(void**))Real("cudnnCreateTensorDescriptor");
  return real == NULL ? 1 : real(descriptor);
}

__attribute__((visibility("default"))) void StubRun(void) {
  void* descriptor = NULL;
  const size_t version = cudnnGetVersion();
  const int status = cudnnCreateTensorDescriptor(&descriptor);
  printf("%zu %d %d\n", version, status, descriptor != NULL);
  fflush(stdout);
}
