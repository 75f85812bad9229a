// At which end of a driver call there is something of it to record; for what is
// asked at every call, every kernel's launch among them. What it is
// memory_calls.h reads.
#pragma once

#include <cupti.h>

#include <array>
#include <cstdint>

namespace inquest::collector {

#define INQUEST_CALL(name) CUPTI_DRIVER_TRACE_CBID_##name

// Tell what they did when they have returned.
inline constexpr uint32_t kToldAtExit[] = {
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

// Give memory back: are told as they begin, and again where they then failed.
inline constexpr uint32_t kToldAtEnter[] = {
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

enum class Told : uint8_t { kNever, kAtExit, kAtEnter };
inline constexpr size_t kMostCalls = 2048;  // CUDA 13.0 has some 800

constexpr std::array<Told, kMostCalls> WhenTold() {
  std::array<Told, kMostCalls> when{};
  for (const uint32_t call : kToldAtExit) when[call] = Told::kAtExit;
  for (const uint32_t call : kToldAtEnter) when[call] = Told::kAtEnter;
  return when;
}
inline constexpr auto kWhenTold = WhenTold();

}  // namespace internal

inline bool TellsOfMemory(uint32_t cbid, bool exit, bool succeeded) {
  if (cbid >= internal::kMostCalls) return false;
  const internal::Told when = internal::kWhenTold[cbid];
  return exit ? when == internal::Told::kAtExit ||
                    (when == internal::Told::kAtEnter && !succeeded)
              : when == internal::Told::kAtEnter;
}

}  // namespace inquest::collector
