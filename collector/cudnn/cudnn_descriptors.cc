// SPDX-License-Identifier: Apache-2.0
#include "collector/cudnn/cudnn_descriptors.h"

#include "collector/core/pair_cache.h"
#include "collector/cudnn/cudnn_hash.h"
#include "collector/cudnn/cudnn_readers.h"

namespace inquest::collector {
namespace {

constinit PairCache<1u << 12> g_hashes;  // by descriptor

}  // namespace

uint64_t CudnnContents::Hash() const {
  CudnnHash hash;
  hash.Add(type, form);
  hash.Add(there ? count : -1, number_count);
  for (const int64_t* list : {lists[0], lists[1], lists[2]}) {
    for (int i = 0; i < count; ++i) hash.Add(static_cast<uint64_t>(list[i]));
  }
  for (int i = 0; i < number_count; i += 2) {
    hash.Add(numbers[i], numbers[i + 1]);
  }
  return hash.value();
}

bool ReadCudnnOperand(CudnnGetters* getters, const void* real,
                      const CudnnOperand& operand, CudnnContents* to) {
  if (operand.descriptor == nullptr) return true;
  to->there = true;
  return AskCudnn(getters, real, operand.kind, operand.descriptor, to) &&
         to->count >= 0 && to->count <= CudnnContents::kMaxDims;
}

bool HashCudnnOperand(CudnnGetters* getters, const void* real,
                      const CudnnOperand& operand, uint64_t* hash) {
  const auto key = reinterpret_cast<uintptr_t>(operand.descriptor);
  if (key != 0 && g_hashes.Find(key, hash)) return true;
  CudnnContents contents;
  if (!ReadCudnnOperand(getters, real, operand, &contents)) return false;
  *hash = contents.Hash();
  if (key != 0) g_hashes.Keep(key, *hash);
  return true;
}

void CudnnDescriptorChanged(const void* descriptor) {
  if (descriptor != nullptr) {
    g_hashes.Drop(reinterpret_cast<uintptr_t>(descriptor));
  }
}

void ForgetCudnnDescriptors() {
  g_hashes.Forget();
}

}  // namespace inquest::collector
