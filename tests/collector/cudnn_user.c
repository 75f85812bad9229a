// SPDX-License-Identifier: Apache-2.0
// Calls cuDNN as PyTorch does, through the PLT of a library that the host
// loads with RTLD_LOCAL. Returns statuses as they come.
#include <cudnn.h>

static int g_messages = 0;

static void OnMessage(cudnnSeverity_t severity, void* data,
                      const cudnnDebug_t* debug, const char* text) {
  (void)severity;
  (void)debug;
  if (data == &g_messages && text != 0) ++g_messages;
}

long user_version(void) {
  return (long)cudnnGetVersion();
}

int user_bad_shape(void) {
  cudnnTensorDescriptor_t tensor;
  cudnnCreateTensorDescriptor(&tensor);
  const int status = cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW,
                                                CUDNN_DATA_FLOAT, 1, -3, 8, 8);
  cudnnDestroyTensorDescriptor(tensor);
  return status;
}

int user_create(void) {
  cudnnHandle_t handle;
  return cudnnCreate(&handle);
}

int user_good(int times) {
  cudnnTensorDescriptor_t tensor;
  int status = cudnnCreateTensorDescriptor(&tensor);
  for (int i = 0; i < times && status == 0; ++i) {
    status = cudnnSetTensor4dDescriptor(tensor, CUDNN_TENSOR_NCHW,
                                        CUDNN_DATA_FLOAT, 1, 3, 8, 8);
  }
  cudnnDestroyTensorDescriptor(tensor);
  return status;
}

// The host's own callback must work as if nobody else had one. Returns how
// often it was called for one failing call, or -1 if it is not handed back.
int user_own_callback(void) {
  unsigned mask = 0;
  void* data = 0;
  cudnnCallback_t function = 0;
  g_messages = 0;
  cudnnSetCallback(CUDNN_SEV_ERROR_EN, &g_messages, OnMessage);
  user_bad_shape();
  cudnnGetCallback(&mask, &data, &function);
  if (mask != CUDNN_SEV_ERROR_EN || data != &g_messages ||
      function != OnMessage) {
    return -1;
  }
  return g_messages;
}
