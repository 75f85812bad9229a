// Calls every family of allocation once, also so that it fails, and frees what
// it got. The simulated driver's SIMGPU_LOG is the independent account.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr size_t kBlock = 4u << 20;

void Check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "%s: %d\n", what, result);
  std::exit(1);
}
#define CHECK(call) Check(call, #call)

void Plain() {
  CUdeviceptr a = 0;
  CUdeviceptr b = 0;
  size_t pitch = 0;
  CHECK(cuMemAlloc(&a, kBlock));
  CHECK(cuMemAllocPitch(&b, &pitch, 1000, 100, 4));
  CHECK(cuMemFree(a));
  CHECK(cuMemAlloc(&a, 2 * kBlock));
  CHECK(cuMemFree(b));
  CHECK(cuMemFree(a));
  CHECK(cuMemAllocManaged(&a, kBlock, CU_MEM_ATTACH_GLOBAL));
  CHECK(cuMemFree(a));
  CHECK(cuMemFree(0));
}

void Async() {
  CUstream stream = nullptr;
  CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  CUdeviceptr a = 0;
  CHECK(cuMemAllocAsync(&a, kBlock, stream));
  CHECK(cuMemFreeAsync(a, stream));
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  CUmemoryPool pool = nullptr;
  CHECK(cuMemPoolCreate(&pool, &properties));
  cuuint64_t kept = kBlock;
  CHECK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept));
  CHECK(cuMemAllocFromPoolAsync(&a, kBlock, pool, stream));
  CHECK(cuMemFreeAsync(a, stream));
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuMemPoolTrimTo(pool, 1024));
  CHECK(cuMemPoolDestroy(pool));
}

void Host() {
  void* a = nullptr;
  CHECK(cuMemHostAlloc(&a, kBlock, 0));
  CHECK(cuMemFreeHost(a));
  CHECK(cuMemAllocHost(&a, kBlock));
  CHECK(cuMemFreeHost(a));
  void* own = std::aligned_alloc(4096, kBlock);
  CHECK(cuMemHostRegister(own, kBlock, 0));
  CHECK(cuMemHostUnregister(own));
  std::free(own);
}

void Virtual() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  CUmemGenericAllocationHandle handle = 0;
  CUdeviceptr range = 0;
  CHECK(cuMemCreate(&handle, kBlock, &properties, 0));
  CHECK(cuMemAddressReserve(&range, kBlock, 0, 0, 0));
  CHECK(cuMemMap(range, kBlock, 0, handle, 0));
  CUmemAccessDesc access{properties.location,
                         CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  CHECK(cuMemSetAccess(range, kBlock, &access, 1));
  CUmemGenericAllocationHandle again = 0;
  CHECK(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(range)));
  CHECK(cuMemRelease(again));
  CHECK(cuMemUnmap(range, kBlock));
  CHECK(cuMemRelease(handle));
  CHECK(cuMemAddressFree(range, kBlock));
}

void Failures() {
  CUdeviceptr a = 0;
  if (cuMemAlloc(&a, size_t{1} << 50) != CUDA_ERROR_OUT_OF_MEMORY)
    Check(CUDA_ERROR_UNKNOWN, "an allocation that cannot succeed");
  if (cuMemFree(0x1234560000) == CUDA_SUCCESS)
    Check(CUDA_ERROR_UNKNOWN, "a free of what is not there");
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
  return 0;
}
