// SPDX-License-Identifier: Apache-2.0
// A failed call's arguments: as a JSON object for the trace, and the whole
// numbers, types and lists also as words for people. Filled by the generated
// wrappers, in buffers of its own; what does not fit is left out.
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

namespace inquest::collector {

class CallDetail {
 public:
  template <typename T>
  void Add(const char* name, T value) {
    if constexpr (std::is_enum_v<T>) {
      Number(name, static_cast<long long>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      Real(name, static_cast<double>(value));
    } else if constexpr (std::is_integral_v<T>) {
      Number(name, static_cast<long long>(value));
      Word("%s %lld", name, static_cast<long long>(value));
    } else if constexpr (std::is_pointer_v<T>) {
      if (value == nullptr) Null(name);
    }
  }
  void AddType(const char* name, int type);  // cudnnDataType_t
  // Up to eight values. `values` are the host's, who says that there are
  // `count` of them.
  void AddList(const char* name, const int* values, int count);
  // Null, or how it is aligned if that is less than 16 bytes.
  void AddAddress(const char* name, const void* address);
  // The innermost NVTX range that this thread has open: it may name the layer.
  void AddRange();
  std::string_view Text();
  std::string_view Words() const { return {words_, word_size_}; }

 private:
  void Number(const char* name, long long value);
  void Real(const char* name, double value);
  void Null(const char* name);
  void Text(const char* name, std::string_view value);
  void Put(int printed);
  __attribute__((format(printf, 2, 3))) void Word(const char* format, ...);

  char text_[1024] = "{";
  size_t size_ = 1;
  char words_[200] = "";
  size_t word_size_ = 0;
};

}  // namespace inquest::collector
