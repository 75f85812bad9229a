// SPDX-License-Identifier: Apache-2.0
#include "analyzer/rules/model/image.h"

#include <zstd.h>

#include <bit>
#include <utility>

#include "analyzer/rules/model/image_members.h"

namespace inquest::rules {
namespace {

constexpr size_t kMaxImageBytes = 64 << 20;

class ImageReader {
 public:
  explicit ImageReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename... T>
  void operator()(T&... members) {
    (Take(&members), ...);
  }
  // Whether all was there, and nothing else.
  bool ok() const { return ok_ && at_ == bytes_.size(); }

 private:
  uint64_t Number() {
    uint64_t number = 0;
    for (int shift = 0; at_ < bytes_.size() && shift < 64; shift += 7) {
      const auto byte = static_cast<uint8_t>(bytes_[at_++]);
      number |= uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return number;
    }
    ok_ = false;
    return 0;
  }
  // Of a list or text: each of its parts has a byte at least.
  size_t Length() {
    const uint64_t length = Number();
    if (length <= bytes_.size() - at_) return length;
    ok_ = false;
    return 0;
  }
  template <typename T>
  T Taken() {
    T one{};
    Take(&one);
    return one;
  }
  template <typename T>
  void Take(T* one) {
    if constexpr (kImageNumber<T>) {
      *one = static_cast<T>(Number());
    } else {
      Members(*this, *one);
    }
  }
  void Take(double* number) { *number = std::bit_cast<double>(Number()); }
  void Take(std::string* text) {
    const size_t length = Length();
    text->assign(bytes_.substr(at_, length));
    at_ += length;
  }
  template <typename T>
  void Take(std::optional<T>* one) {
    if (Number() != 0) Take(&one->emplace());
  }
  void Take(std::pair<std::string, std::string>* two) {
    (*this)(two->first, two->second);
  }
  template <typename T>
  void Take(std::vector<T>* list) {
    const size_t length = Length();
    list->reserve(length);
    for (size_t i = 0; i < length && ok_; ++i) Take(&list->emplace_back());
  }
  template <typename T, typename Less>
  void Take(std::map<std::string, T, Less>* all) {
    const size_t length = Length();
    for (size_t i = 0; i < length && ok_; ++i) {
      auto name = Taken<std::string>();
      Take(&all->emplace_hint(all->end(), std::move(name), T{})->second);
    }
  }
  void Take(Figure* figure) {
    switch (Number()) {
      case 1:
        *figure = Taken<bool>();
        break;
      case 2:
        *figure = Taken<int64_t>();
        break;
      case 3:
        *figure = Taken<uint64_t>();
        break;
      case 4:
        *figure = Taken<double>();
        break;
      case 5:
        *figure = Taken<std::string>();
        break;
      case 6:
        *figure = Taken<Figure::List>();
        break;
      default:
        break;
    }
  }
  void Take(Figures* figures) {
    for (auto& [name, value] : Taken<Figures::Map>()) {
      (*figures)[name] = value;
    }
  }
  void Take(std::shared_ptr<const Codes>* codes) {
    const uint64_t number = Number();
    if (number == 0) return;
    if (number == codes_.size() + 1) {
      codes_.push_back(
          std::make_shared<const Codes>(Taken<std::vector<Code>>()));
    }
    ok_ = ok_ && number <= codes_.size();
    if (ok_) *codes = codes_[number - 1];
  }

  std::string_view bytes_;
  size_t at_ = 0;
  bool ok_ = true;
  std::vector<std::shared_ptr<const Codes>> codes_;
};

template <typename... T>
Status ReadFrame(std::string_view frame, T*... members) {
  const auto size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  std::string bytes(size <= kMaxImageBytes ? size : 0, '\0');
  const size_t got =
      ZSTD_decompress(bytes.data(), bytes.size(), frame.data(), frame.size());
  ImageReader reader(bytes);
  reader(*members...);
  if (ZSTD_isError(got) == 0 && reader.ok()) return Status::Ok();
  return Internal("the built-in rules cannot be read");
}

// Of the first of the two parts.
size_t FrameSize(std::string_view image) {
  const size_t size = ZSTD_findFrameCompressedSize(image.data(), image.size());
  return ZSTD_isError(size) == 0 ? size : image.size();
}

}  // namespace

Expected<RuleImage> ReadImage(std::string_view image) {
  RuleImage read;
  RETURN_IF_ERROR(ReadFrame(image.substr(0, FrameSize(image)), &read.set,
                            &read.signatures, &read.worlds, &read.taxonomy));
  return read;
}

Expected<std::vector<Signature>> ReadSignatures(std::string_view image) {
  std::vector<Signature> signatures;
  RETURN_IF_ERROR(ReadFrame(image.substr(FrameSize(image)), &signatures));
  return signatures;
}

}  // namespace inquest::rules
