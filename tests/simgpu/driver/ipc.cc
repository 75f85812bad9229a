// SPDX-License-Identifier: Apache-2.0
// Inter-process handles. A handle names the owning process and the block;
// opening one in another process gives an address without contents that a
// kernel may use.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "core/event_log.h"
#include "driver/address.h"
#include "driver/objects.h"

namespace simgpu::driver {
namespace {

constexpr uint64_t kTicket = 0x4950435449434b31;

struct Ticket {
  uint64_t magic;
  uint64_t pid;
  uint64_t address;
  uint64_t size;
};

}  // namespace

CUresult cuIpcGetMemHandle(CUipcMemHandle* out, CUdeviceptr address) {
  const Place place = Locate(address);
  if (out == nullptr || place.kind != Kind::kDevice) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const Ticket ticket = {kTicket, static_cast<uint64_t>(getpid()),
                         place.range.address, place.range.size};
  std::memset(out, 0, sizeof *out);
  std::memcpy(out->reserved, &ticket, sizeof ticket);
  return CUDA_SUCCESS;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* out, CUipcMemHandle handle,
                               unsigned) {
  Ticket ticket;
  std::memcpy(&ticket, handle.reserved, sizeof ticket);
  if (out == nullptr || ticket.magic != kTicket) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  // The exporting process itself may not open its own handle.
  if (ticket.pid == static_cast<uint64_t>(getpid())) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  void* got = mmap(nullptr, ticket.size, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) return CUDA_ERROR_MAP_FAILED;
  *out = reinterpret_cast<uint64_t>(got);
  AddPlace({Kind::kMapped, {*out, ticket.size}, Current()->device, 0});
  LogEvent("cuIpcOpenMemHandle_v2", *out, ticket.size, CUDA_SUCCESS);
  return CUDA_SUCCESS;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  const auto place = RemovePlace(address, Kind::kMapped);
  if (!place) return CUDA_ERROR_INVALID_VALUE;
  munmap(reinterpret_cast<void*>(address), place->range.size);
  LogEvent("cuIpcCloseMemHandle", address, place->range.size, CUDA_SUCCESS);
  return CUDA_SUCCESS;
}

}  // namespace simgpu::driver
