// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/common/json_stream.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "analyzer/importers/common/json_mender.h"

namespace inquest::importers {
namespace {

using nlohmann::json;

class Source {
 public:
  explicit Source(ingest::ByteStream* bytes) : bytes_(bytes), buffer_(kSize) {
    Fill();
  }
  bool ended() const { return at_ == end_; }
  char current() const { return buffer_[at_]; }
  void Next() {
    if (++at_ == end_) Fill();
  }

 private:
  static constexpr size_t kSize = 64 << 10;
  void Fill() {
    at_ = 0;
    end_ = bytes_->Read(buffer_.data(), buffer_.size());
  }

  ingest::ByteStream* bytes_;
  std::vector<char> buffer_;
  size_t at_ = 0, end_ = 0;
};

// The interface that the parser expects of its input.
struct Iterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  Source* source = nullptr;  // nullptr: the end

  char operator*() const { return source->current(); }
  Iterator& operator++() {
    source->Next();
    return *this;
  }
  bool AtEnd() const { return source == nullptr || source->ended(); }
  bool operator==(const Iterator& other) const {
    return AtEnd() == other.AtEnd();
  }
};

class Adapter : public nlohmann::json_sax<json> {
 public:
  explicit Adapter(JsonHandler* handler) : handler_(handler) {}

  bool null() override {
    handler_->Null();
    return Continues();
  }
  bool boolean(bool value) override { return number_integer(value ? 1 : 0); }
  bool number_integer(int64_t value) override {
    handler_->Integer(value);
    return Continues();
  }
  bool number_unsigned(uint64_t value) override {
    return number_integer(static_cast<int64_t>(value));
  }
  bool number_float(double, const std::string& digits) override {
    handler_->Decimal(digits);
    return Continues();
  }
  bool string(std::string& text) override {
    handler_->Text(text);
    return Continues();
  }
  bool binary(json::binary_t&) override { return true; }
  bool start_object(size_t) override { return Begins(false); }
  bool start_array(size_t) override { return Begins(true); }
  bool key(std::string& name) override {
    handler_->Key(name);
    return true;
  }
  bool end_object() override { return end_array(); }
  bool end_array() override {
    handler_->End();
    return Continues();
  }
  bool parse_error(size_t, const std::string& token,
                   const json::exception&) override {
    failed_ = true;
    token_ = token.substr(0, 60);
    return false;
  }

  bool failed() const { return failed_; }
  const std::string& token() const { return token_; }

 private:
  bool Continues() const { return !handler_->stopped(); }
  bool Begins(bool array) {
    handler_->Begin(array);
    return Continues();
  }

  JsonHandler* handler_;
  bool failed_ = false;
  std::string token_;
};

}  // namespace

JsonEnd ReadJson(ingest::ByteStream* bytes, JsonHandler* handler) {
  JsonMender mender(bytes);
  Source source(&mender);
  Adapter adapter(handler);
  // Whether anything follows the value does not matter.
  json::sax_parse(Iterator{&source}, Iterator{}, &adapter,
                  json::input_format_t::json, false);
  JsonEnd end;
  end.mended = mender.mended();
  const ingest::ByteStream::Fault& fault = mender.fault();
  if (fault.truncated || fault.incomplete) {
    end.fault = Unreadable("the file ends early: " + fault.note);
  } else if (adapter.failed() && source.ended()) {
    end.fault = Unreadable(
        fmt::format("the file ends early, after {} bytes", mender.offset()));
  } else if (adapter.failed()) {
    end.fault =
        Unreadable(fmt::format("not JSON any more near byte {}, at '{}'",
                               mender.offset(), adapter.token()));
  }
  return end;
}

}  // namespace inquest::importers
