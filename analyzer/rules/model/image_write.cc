// SPDX-License-Identifier: Apache-2.0
// Writes the image, while inquest is built; image.cc reads it.
#include <zstd.h>

#include <bit>
#include <utility>
#include <variant>

#include "analyzer/rules/model/image.h"
#include "analyzer/rules/model/image_members.h"

namespace inquest::rules {
namespace {

// Numbers take seven bits a byte, texts and lists begin with their length.
class ImageWriter {
 public:
  template <typename... T>
  void operator()(const T&... members) {
    (Put(members), ...);
  }
  std::string TakeBytes() { return std::move(bytes_); }

 private:
  void PutNumber(uint64_t number) {
    for (; number >= 0x80; number >>= 7) {
      bytes_ += static_cast<char>(number | 0x80);
    }
    bytes_ += static_cast<char>(number);
  }
  template <typename T>
  void Put(const T& one) {
    if constexpr (kImageNumber<T>) {
      PutNumber(static_cast<uint64_t>(one));
    } else {
      // Members names them once for both directions and changes nothing here.
      Members(*this, const_cast<T&>(one));
    }
  }
  void Put(double number) { PutNumber(std::bit_cast<uint64_t>(number)); }
  void Put(std::monostate) {}
  void Put(const std::string& text) {
    PutNumber(text.size());
    bytes_ += text;
  }
  template <typename T>
  void Put(const std::optional<T>& one) {
    Put(one.has_value());
    if (one) Put(*one);
  }
  void Put(const std::pair<std::string, std::string>& two) {
    (*this)(two.first, two.second);
  }
  template <typename T>
  void Put(const std::vector<T>& list) {
    PutNumber(list.size());
    for (const T& one : list) Put(one);
  }
  template <typename T, typename Less>
  void Put(const std::map<std::string, T, Less>& all) {
    PutNumber(all.size());
    for (const auto& [name, one] : all) (*this)(name, one);
  }
  void Put(const Figure& figure) {
    PutNumber(figure.value().index());
    std::visit([this](const auto& value) { Put(value); }, figure.value());
  }
  void Put(const Figures& figures) {
    Put(Figures::Map(figures.begin(), figures.end()));
  }
  // The signatures of a file share theirs: 0 for none, else a number, at the
  // first time followed by the codes.
  void Put(const std::shared_ptr<const Codes>& codes) {
    if (codes == nullptr) return PutNumber(0);
    const auto [known, is_new] = codes_.emplace(codes, codes_.size() + 1);
    PutNumber(known->second);
    if (is_new) Put(codes->all());
  }

  std::string bytes_;
  std::map<std::shared_ptr<const Codes>, size_t> codes_;
};

template <typename... T>
std::string WriteFrame(const T&... members) {
  constexpr int kLevel = 19;  // once, when the program is built
  ImageWriter writer;
  writer(members...);
  const std::string bytes = writer.TakeBytes();
  std::string frame(ZSTD_compressBound(bytes.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), bytes.data(),
                             bytes.size(), kLevel));
  return frame;
}

}  // namespace

std::string WriteImage(const RuleSet& set) {
  return WriteFrame(set, set.signatures.size(), TheWorlds(), TheTaxonomy()) +
         WriteFrame(set.signatures);
}

}  // namespace inquest::rules
