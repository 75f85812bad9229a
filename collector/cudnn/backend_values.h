// SPDX-License-Identifier: Apache-2.0
// The values that a tensor or a mode of cuDNN's backend API holds: kept as the
// host sets them, hashed, and put into words. Used by cudnn_backend.cc.
#pragma once

#include <cstdint>

#include "collector/cudnn/backend_notes.h"
#include "collector/cudnn/cudnn_words.h"

namespace inquest::collector {

// As cudnnBackendSetAttribute is given it.
struct BackendAttribute {
  int name;  // cudnnBackendAttributeName_t
  int type;  // cudnnBackendAttributeType_t
  int64_t count;
  const void* elements;
};

// Room for the nine values that describe a tensor of eight dimensions.
constexpr int kBackendValueBytes = 448;

// Numbers and enumerators only, and none that does not describe: the unique id,
// the alignment, fractions of one. What does not fit is left out.
void KeepBackendValue(BackendNote* note, const BackendAttribute& attribute);
uint64_t HashBackendValues(const BackendNote& note);
void AddBackendWords(const char* name, const BackendNote& note,
                     CudnnWords* words);
// One of an operation's own: its hash, 0 where it does not describe.
uint64_t AddBackendValue(const char* name, const BackendAttribute& attribute,
                         CudnnWords* words);

}  // namespace inquest::collector
