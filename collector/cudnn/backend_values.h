// SPDX-License-Identifier: Apache-2.0
// The values of a tensor or a mode of cuDNN's backend API: stored when the host
// sets them, hashed, and formatted as text. Used by cudnn_backend.cc.
#pragma once

#include <cstdint>

#include "collector/cudnn/backend_notes.h"
#include "collector/cudnn/cudnn_words.h"

namespace inquest::collector {

// The arguments of cudnnBackendSetAttribute.
struct BackendAttribute {
  int name;  // cudnnBackendAttributeName_t
  int type;  // cudnnBackendAttributeType_t
  int64_t count;
  const void* elements;
};

// Room for the nine values that describe a tensor of eight dimensions.
constexpr int kBackendValueBytes = 448;

// Whether a descriptor of this type is a tensor or a mode.
bool HoldsBackendValues(int type);
// Keeps only numbers and enumerators that describe the layer: not the unique
// id, the alignment or fractions. Values that do not fit are left out.
void KeepBackendValue(BackendNote* note, const BackendAttribute& attribute);
uint64_t HashBackendValues(const BackendNote& note);
void AddBackendWords(const char* name, const BackendNote& note,
                     CudnnWords* words);
// A value of the operation itself: returns its hash, 0 if it does not describe
// the layer.
uint64_t AddBackendValue(const char* name, const BackendAttribute& attribute,
                         CudnnWords* words);

}  // namespace inquest::collector
