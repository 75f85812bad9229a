// SPDX-License-Identifier: Apache-2.0
// Strict JSON stays the same, byte for byte but for indentation; other JSON
// becomes strict.
#include "analyzer/importers/common/json_mender.h"

#include <random>

#include "analyzer/importers/common/mend_ahead.h"
#include "analyzer/importers/common/text_pieces.h"
#include "base/json_text.h"
#include "nlohmann/json.hpp"
#include "tests/catch_compat.h"

namespace inquest::importers {
namespace {

using nlohmann::json;

std::string Mend(const std::string& text, size_t piece = 7,
                 int64_t* mended = nullptr) {
  TextPieces pieces(text, piece);
  JsonMender mender(&pieces);
  std::string result(text.size() * 6 + 16, '\0');
  size_t size = 0;
  while (const size_t got =
             mender.Read(result.data() + size, result.size() - size)) {
    size += got;
  }
  result.resize(size);
  if (mended != nullptr) *mended = mender.mended();
  return result;
}

std::string RandomText(std::mt19937* dice) {
  static const char* const kPieces[] = {
      "a", "\"", "\\", "\n", "\t",           "ü", "€", "\x01", ",",
      ":", "}",  "]",  "😀",  "\xef\xbf\xbf", " ", "/", "\x7f"};
  std::string text;
  for (size_t i = (*dice)() % 12; i > 0; --i) {
    text += kPieces[(*dice)() % std::size(kPieces)];
  }
  return text;
}

json RandomValue(std::mt19937* dice, int depth) {
  switch ((*dice)() % (depth > 3 ? 5 : 7)) {
    case 0:
      return nullptr;
    case 1:
      return (*dice)() % 2 == 0;
    case 2:
      return static_cast<int64_t>((*dice)()) - (int64_t{1} << 31);
    case 3:
      return static_cast<double>((*dice)()) * 1e-7;
    case 4:
      return RandomText(dice);
    case 5: {
      json list = json::array();
      for (size_t i = (*dice)() % 5; i > 0; --i) {
        list.push_back(RandomValue(dice, depth + 1));
      }
      return list;
    }
    default: {
      json object = json::object();
      for (size_t i = (*dice)() % 5; i > 0; --i) {
        object[RandomText(dice)] = RandomValue(dice, depth + 1);
      }
      return object;
    }
  }
}

TEST_CASE("strict JSON passes unchanged") {
  std::mt19937 dice(1);
  for (int round = 0; round < 2000; ++round) {
    const json value = RandomValue(&dice, 0);
    const int indent = static_cast<int>(dice() % 3) - 1;
    const std::string text = value.dump(indent, ' ', dice() % 2 == 0);
    int64_t mended = -1;
    const std::string mended_text = Mend(text, dice() % 9 + 1, &mended);
    CHECK(ParseJson(mended_text) == value);
    if (indent < 0) CHECK(mended_text == text);
    CHECK(mended == 0);
  }
}

TEST_CASE("blanks are left only between words") {
  CHECK(Mend("[\n    1,\n    \"a  b\"\n]", 100) == "[1,\"a  b\"]");
  CHECK(Mend("1  2\ttrue\n-3", 100) == "1 2 true -3");
}

TEST_CASE("JSON that is not strict becomes strict") {
  const std::pair<const char*, const char*> kCases[] = {
      {"[1, 2,]", "[1,2]"},
      {"[1,, 2]", "[1,2]"},
      {"{,\"a\": 1,}", "{\"a\":1}"},
      {"[NaN, -Infinity, +inf, None, True]", "[null,null,null,null,true]"},
      {"[\"a\nb\"]", "[\"a b\"]"},
      {"[\"C:\\users\\x\"]", "[\"C:\\\\users\\\\x\"]"},
      {"[\"\\ud800\", \"\\udc00x\"]", "[\"?\",\"?x\"]"},
      {"[\"\xff\xc3(\"]", "[\"?\?(\"]"},
      {"[\"say \"hello\" to\"]", "[\"say \\\"hello\\\" to\"]"},
      {"{\"a\": \"b\"c\"}", "{\"a\":\"b\\\"c\"}"},
  };
  for (const auto& [text, want] : kCases) {
    INFO(text);
    int64_t mended = 0;
    CHECK(Mend(text, 3, &mended) == want);
    CHECK(mended > 0);
    CHECK_FALSE(ParseJson(Mend(text)).is_discarded());
  }
}

// With one byte at a time, no list lies whole in the buffer.
TEST_CASE("where the input is cut into pieces makes no difference") {
  std::mt19937 dice(5);
  const char* const kTokens[] = {"[", "]",     "{",      "}",          ",",
                                 " ", "\n",    "0",      "12",         "7",
                                 ".", "-3",    "1e5",    "true",       "NaN",
                                 ":", "\"a\"", "[1, 2]", "[[3,4], []]"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text = "[";
    for (size_t i = dice() % 12; i > 0; --i) {
      text += kTokens[dice() % std::size(kTokens)];
    }
    CAPTURE(text);
    int64_t slowly = 0, mended = 0;
    const std::string want = Mend(text, 1, &slowly);
    CHECK(Mend(text, 1000, &mended) == want);
    CHECK(mended == slowly);
  }
  const std::string digits = "[1, " + std::string(500, '7') + "]";
  CHECK(Mend(digits, 1000) == Mend(digits, 1));
}

// Ends in the middle, as it says.
class CutPieces : public TextPieces {
 public:
  using TextPieces::TextPieces;
  size_t Read(char* buffer, size_t size) override {
    const size_t got = TextPieces::Read(buffer, size);
    fault_.truncated = got == 0;
    return got;
  }
};

TEST_CASE("what is mended ahead is the same") {
  std::mt19937 dice(3);
  json value = json::array();
  while (value.size() < 3000) value.push_back(RandomValue(&dice, 0));
  const std::string text = value.dump(1, ' ') + ", NaN";
  const std::string known = Mend(text);
  for (const size_t alone : {size_t{0}, size_t{5000}, size_t{1} << 30}) {
    for (const size_t piece : {size_t{700}, size_t{1} << 20}) {
      CAPTURE(alone, piece);
      CutPieces pieces(text, piece);
      MendAhead ahead(&pieces, alone);
      std::string all;
      char buffer[3000];
      while (const size_t got = ahead.Read(buffer, sizeof buffer)) {
        all.append(buffer, got);
      }
      ahead.Stop();
      CHECK(all == known);
      CHECK(ahead.mended() == 1);
      CHECK(ahead.fault().truncated);
      CHECK(ahead.offset() == text.size());
    }
  }
}

TEST_CASE("a reader that stops early waits for nobody") {
  const std::string text(8 << 20, '1');
  TextPieces pieces(text, 1 << 20);
  MendAhead ahead(&pieces, 1);
  char buffer[10];
  CHECK(ahead.Read(buffer, sizeof buffer) == 10);
  CHECK(ahead.Read(buffer, sizeof buffer) == 10);
}

TEST_CASE("a string beyond the limit is cut, and what follows is kept") {
  const std::string text =
      "[\"" + std::string(JsonMender::kMaxTextBytes + 999, 'x') + "\", 5]";
  const json made = ParseJson(Mend(text, 100'000));
  REQUIRE(made.size() == 2);
  CHECK(made[0].get<std::string>().size() == JsonMender::kMaxTextBytes);
  CHECK(made[1] == 5);
}

}  // namespace
}  // namespace inquest::importers
