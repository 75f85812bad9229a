// SPDX-License-Identifier: Apache-2.0
// Whether a driver call is recorded when it begins or when it has returned. A
// table, because this is looked up at every callback, kernel launches included.
// memory_calls.h reads what the call did.
#pragma once

#include <cupti.h>

#include <array>
#include <cstdint>

namespace inquest::collector {

#define INQUEST_CALL(name) CUPTI_DRIVER_TRACE_CBID_##name

// Their result is known when they have returned.
inline constexpr uint32_t kRecordAtExit[] = {
    INQUEST_CALL(cuMemAlloc_v2),
    INQUEST_CALL(cuMemAllocPitch_v2),
    INQUEST_CALL(cuMemAllocManaged),
    INQUEST_CALL(cuMemAllocAsync),
    INQUEST_CALL(cuMemAllocAsync_ptsz),
    INQUEST_CALL(cuMemAllocFromPoolAsync),
    INQUEST_CALL(cuMemAllocFromPoolAsync_ptsz),
    INQUEST_CALL(cuMemHostAlloc),
    INQUEST_CALL(cuMemHostAlloc_v2),
    INQUEST_CALL(cuMemAllocHost_v2),
    INQUEST_CALL(cuMemCreate),
    INQUEST_CALL(cuArrayCreate_v2),
    INQUEST_CALL(cuArray3DCreate_v2),
    INQUEST_CALL(cuMipmappedArrayCreate),
    INQUEST_CALL(cuIpcOpenMemHandle),
    INQUEST_CALL(cuIpcOpenMemHandle_v2),
    INQUEST_CALL(cuImportExternalMemory),
    INQUEST_CALL(cuMemAddressReserve),
    INQUEST_CALL(cuMemMap),
    INQUEST_CALL(cuMemHostRegister_v2),
    INQUEST_CALL(cuMemPoolTrimTo),
    INQUEST_CALL(cuMemPoolDestroy),
    INQUEST_CALL(cuMemImportFromShareableHandle),
    INQUEST_CALL(cuMemRetainAllocationHandle),
    INQUEST_CALL(cuMemSetAccess),
    INQUEST_CALL(cuMemPoolCreate),
    INQUEST_CALL(cuMemPoolSetAttribute),
    INQUEST_CALL(cuMemPoolImportFromShareableHandle),
    INQUEST_CALL(cuMemPoolImportPointer),
    INQUEST_CALL(cuExternalMemoryGetMappedBuffer)};

// They free memory: recorded when they begin, and again if they then fail.
inline constexpr uint32_t kRecordAtEnter[] = {
    INQUEST_CALL(cuMemFree_v2),
    INQUEST_CALL(cuMemFreeAsync),
    INQUEST_CALL(cuMemFreeAsync_ptsz),
    INQUEST_CALL(cuMemFreeHost),
    INQUEST_CALL(cuMemRelease),
    INQUEST_CALL(cuArrayDestroy),
    INQUEST_CALL(cuMipmappedArrayDestroy),
    INQUEST_CALL(cuIpcCloseMemHandle),
    INQUEST_CALL(cuDestroyExternalMemory),
    INQUEST_CALL(cuMemUnmap),
    INQUEST_CALL(cuMemAddressFree),
    INQUEST_CALL(cuMemHostUnregister)};

#undef INQUEST_CALL

namespace internal {

enum class RecordAt : uint8_t { kNever, kAtExit, kAtEnter };
inline constexpr size_t kMaxCalls = 2048;  // CUDA 13.0 has about 800

constexpr std::array<RecordAt, kMaxCalls> MakeRecordAt() {
  std::array<RecordAt, kMaxCalls> when{};
  for (const uint32_t call : kRecordAtExit) when[call] = RecordAt::kAtExit;
  for (const uint32_t call : kRecordAtEnter) when[call] = RecordAt::kAtEnter;
  return when;
}
inline constexpr auto kRecordAt = MakeRecordAt();

}  // namespace internal

inline bool HasMemoryEvent(uint32_t cbid, bool exit, bool succeeded) {
  if (cbid >= internal::kMaxCalls) return false;
  const internal::RecordAt when = internal::kRecordAt[cbid];
  return exit ? when == internal::RecordAt::kAtExit ||
                    (when == internal::RecordAt::kAtEnter && !succeeded)
              : when == internal::RecordAt::kAtEnter;
}

}  // namespace inquest::collector
