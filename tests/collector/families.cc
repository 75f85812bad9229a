// SPDX-License-Identifier: Apache-2.0
// Calls every family of allocation once, also so that it fails, and frees what
// it got. Says what each call did on stdout, "call address bytes result" a
// line: the account of the program itself, for cards that keep none (the
// simulated driver keeps its own, SIMGPU_LOG). Goes on after a refusal; ends
// with 1 when a call ended otherwise than it should.
#include <cuda.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr size_t kBlock = 4u << 20;
bool g_failed = false;

void Complain(CUresult result, const char* what) {
  std::fprintf(stderr, "%s: %d\n", what, result);
  g_failed = true;
}

void Check(CUresult result, const char* what) {
  if (result != CUDA_SUCCESS) Complain(result, what);
}
#define CHECK(call) Check(call, #call)

void Tell(const char* call, uint64_t address, size_t bytes, CUresult result) {
  std::printf("%s %#" PRIx64 " %zu %d\n", call, address, bytes, result);
}

uint64_t Number(CUdeviceptr address) {
  return address;
}
uint64_t Number(const void* address) {
  return reinterpret_cast<uint64_t>(address);
}

// An allocation that must succeed; `where` is what the call fills in.
template <typename Address>
void Made(const char* call, CUresult result, const Address& where,
          size_t bytes) {
  Check(result, call);
  Tell(call, result == CUDA_SUCCESS ? Number(where) : 0, bytes, result);
}

template <typename Address>
void Freed(const char* call, CUresult result, const Address& where) {
  Check(result, call);
  Tell(call, Number(where), 0, result);
}

void Plain() {
  CUdeviceptr a = 0;
  CUdeviceptr b = 0;
  size_t pitch = 0;
  Made("cuMemAlloc_v2", cuMemAlloc(&a, kBlock), a, kBlock);
  const CUresult pitched = cuMemAllocPitch(&b, &pitch, 1000, 100, 4);
  Made("cuMemAllocPitch_v2", pitched, b, pitch * 100);
  Freed("cuMemFree_v2", cuMemFree(a), a);
  Made("cuMemAlloc_v2", cuMemAlloc(&a, 2 * kBlock), a, 2 * kBlock);
  Freed("cuMemFree_v2", cuMemFree(b), b);
  Freed("cuMemFree_v2", cuMemFree(a), a);
  Made("cuMemAllocManaged", cuMemAllocManaged(&a, kBlock, CU_MEM_ATTACH_GLOBAL),
       a, kBlock);
  Freed("cuMemFree_v2", cuMemFree(a), a);
  CHECK(cuMemFree(0));
}

void Async() {
  CUstream stream = nullptr;
  CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  CUdeviceptr a = 0;
  Made("cuMemAllocAsync", cuMemAllocAsync(&a, kBlock, stream), a, kBlock);
  Freed("cuMemFreeAsync", cuMemFreeAsync(a, stream), a);
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  CUmemoryPool pool = nullptr;
  CHECK(cuMemPoolCreate(&pool, &properties));
  cuuint64_t kept = kBlock;
  CHECK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept));
  Made("cuMemAllocFromPoolAsync",
       cuMemAllocFromPoolAsync(&a, kBlock, pool, stream), a, kBlock);
  Freed("cuMemFreeAsync", cuMemFreeAsync(a, stream), a);
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuMemPoolTrimTo(pool, 1024));
  CHECK(cuMemPoolDestroy(pool));
}

void Host() {
  void* a = nullptr;
  Made("cuMemHostAlloc", cuMemHostAlloc(&a, kBlock, 0), a, kBlock);
  Freed("cuMemFreeHost", cuMemFreeHost(a), a);
  Made("cuMemAllocHost_v2", cuMemAllocHost(&a, kBlock), a, kBlock);
  Freed("cuMemFreeHost", cuMemFreeHost(a), a);
  void* own = std::aligned_alloc(4096, kBlock);
  Made("cuMemHostRegister_v2", cuMemHostRegister(own, kBlock, 0), own, kBlock);
  Freed("cuMemHostUnregister", cuMemHostUnregister(own), own);
  std::free(own);
}

void Virtual() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  CUmemGenericAllocationHandle handle = 0;
  CUdeviceptr range = 0;
  Made("cuMemCreate", cuMemCreate(&handle, kBlock, &properties, 0), handle,
       kBlock);
  CHECK(cuMemAddressReserve(&range, kBlock, 0, 0, 0));
  Made("cuMemMap", cuMemMap(range, kBlock, 0, handle, 0), range, kBlock);
  CUmemAccessDesc access{properties.location,
                         CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CHECK(cuMemSetAccess(range, kBlock, &access, 1));
  CUmemGenericAllocationHandle again = 0;
  CHECK(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(range)));
  Freed("cuMemRelease", cuMemRelease(again), again);
  Made("cuMemUnmap", cuMemUnmap(range, kBlock), range, kBlock);
  Freed("cuMemRelease", cuMemRelease(handle), handle);
  CHECK(cuMemAddressFree(range, kBlock));
}

void Failures() {
  CUdeviceptr a = 0;
  constexpr size_t kTooMuch = size_t{1} << 50;
  CUresult result = cuMemAlloc(&a, kTooMuch);
  Tell("cuMemAlloc_v2", 0, kTooMuch, result);
  if (result != CUDA_ERROR_OUT_OF_MEMORY)
    Complain(result, "an allocation that cannot succeed");
  constexpr CUdeviceptr kNowhere = 0x1234560000;
  result = cuMemFree(kNowhere);
  Tell("cuMemFree_v2", kNowhere, 0, result);
  if (result == CUDA_SUCCESS) Complain(result, "a free of what is not there");
}

}  // namespace

int main() {
  CHECK(cuInit(0));
  CUcontext context = nullptr;
  CHECK(cuDevicePrimaryCtxRetain(&context, 0));
  CHECK(cuCtxSetCurrent(context));
  Plain();
  Async();
  Host();
  Virtual();
  Failures();
  CHECK(cuDevicePrimaryCtxRelease(0));
  std::puts("done");
  return g_failed ? 1 : 0;
}
