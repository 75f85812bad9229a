// SPDX-License-Identifier: Apache-2.0
// The parser against nlohmann's: both see the same values in random texts, and
// refuse the same ones.
#include "analyzer/importers/common/json_parser.h"

#include <random>

#include "analyzer/importers/common/text_pieces.h"
#include "base/json_text.h"
#include "nlohmann/json.hpp"
#include "tests/catch_compat.h"

namespace inquest::importers {
namespace {

using nlohmann::json;
using End = JsonParser::End;

// Writes down what it sees, a line each.
class Notes : public JsonHandler {
 public:
  void Begin(bool array) override { Note(array ? "[" : "{", ""); }
  void End() override { Note("end", ""); }
  void Key(std::string_view name) override { Note("key ", name); }
  void Text(std::string_view text) override { Note("text ", text); }
  void Integer(int64_t value) override { Note("", std::to_string(value)); }
  void Decimal(std::string_view digits) override { Note("", digits); }
  void Null() override { Note("null", ""); }
  bool stopped() const override { return --values_left < 0; }

  std::string text;
  mutable int values_left = INT32_MAX;

 private:
  void Note(std::string_view kind, std::string_view what) {
    text.append(kind).append(what) += '\n';
  }
};

class Reference : public nlohmann::json_sax<json> {
 public:
  bool null() override { return notes.Null(), true; }
  bool boolean(bool value) override { return notes.Integer(value), true; }
  bool number_integer(int64_t value) override {
    return notes.Integer(value), true;
  }
  bool number_unsigned(uint64_t value) override {
    return number_integer(static_cast<int64_t>(value));
  }
  bool number_float(double, const std::string& digits) override {
    return notes.Decimal(digits), true;
  }
  bool string(std::string& text) override { return notes.Text(text), true; }
  bool binary(json::binary_t&) override { return true; }
  bool start_object(size_t) override { return notes.Begin(false), true; }
  bool start_array(size_t) override { return notes.Begin(true), true; }
  bool key(std::string& name) override { return notes.Key(name), true; }
  bool end_object() override { return notes.End(), true; }
  bool end_array() override { return notes.End(), true; }
  bool parse_error(size_t, const std::string&,
                   const json::exception& error) override {
    constexpr int kNumberOverflow = 406;
    overflow = error.id == kNumberOverflow;
    return false;
  }

  bool overflow = false;  // a number beyond a double
  Notes notes;
};

const char* const kPieces[] = {"[",
                               "]",
                               "{",
                               "}",
                               ",",
                               ":",
                               "\"a\":",
                               "\"",
                               "1",
                               "-0",
                               "01",
                               "1.50",
                               "-2e+7",
                               "1.",
                               "null",
                               "true",
                               "false",
                               "nul",
                               " ",
                               "\n",
                               "\"\\u00e9\"",
                               "\"b\"",
                               "-",
                               "\"\\n\"",
                               "\"\\q",
                               "\\\\",
                               "\"ü€😀\"",
                               "\"\\ud83d\\ude00\"",
                               "e5",
                               "\"\"",
                               "\"\\ud83d\"",
                               "18446744073709551615",
                               "-9223372036854775809"};

std::string RandomPieces(std::mt19937* dice) {
  std::string text = (*dice)() % 2 == 0 ? "[" : "{\"k\":";
  for (size_t i = (*dice)() % 12; i > 0; --i) {
    text += kPieces[(*dice)() % std::size(kPieces)];
    if ((*dice)() % 2 == 0) text += ',';
  }
  return text + (text[0] == '[' ? "]" : "}");
}

json RandomJson(std::mt19937* dice, int depth) {
  const unsigned what = (*dice)() % (depth > 3 ? 5 : 7);
  if (what == 0) return nullptr;
  if (what == 1) return (*dice)() % 2 == 0;
  if (what == 2) return static_cast<int64_t>((*dice)()) - (int64_t{1} << 31);
  if (what == 3) return static_cast<double>((*dice)()) * 1e-7;
  if (what == 4) return std::string((*dice)() % 40, "a\"\\\n/"[(*dice)() % 5]);
  json many = what == 5 ? json::array() : json::object();
  for (size_t i = (*dice)() % 5; i > 0; --i) {
    json one = RandomJson(dice, depth + 1);
    if (what == 5) many.push_back(one);
    if (what == 6) many["key " + std::to_string(i)] = one;
  }
  return many;
}

End Parse(std::string_view text, size_t slice, Notes* notes) {
  TextPieces slices(std::string(text), slice);
  return JsonParser(&slices, notes).Run();
}

void CompareWithReference(const std::string& text, size_t slice) {
  CAPTURE(text, slice);
  Reference reference;
  const bool whole =
      json::sax_parse(text, &reference, json::input_format_t::json, false);
  if (reference.overflow) return;
  Notes notes;
  CHECK((Parse(text, slice, &notes) == End::kWhole) == whole);
  if (whole) CHECK(notes.text == reference.notes.text);
}

}  // namespace

TEST_CASE("the parser sees what nlohmann's sees") {
  std::mt19937 dice(7);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = RandomJson(&dice, 0).dump(
        static_cast<int>(dice() % 3) - 1, ' ', dice() % 2 == 0);
    CompareWithReference(text, dice() % 9 + 1);
    CompareWithReference(text, 1 << 20);
  }
}

TEST_CASE("the parser refuses what nlohmann's refuses") {
  std::mt19937 dice(8);
  for (int round = 0; round < 30000; ++round) {
    CompareWithReference(RandomPieces(&dice), dice() % 9 + 1);
  }
}

// Wants no list.
class NoLists : public Notes {
 public:
  void Begin(bool array) override {
    skips_ = array;
    Notes::Begin(array);
  }
  void End() override {
    skips_ = false;
    Notes::End();
  }
  bool skips() const override { return skips_; }

 private:
  bool skips_ = false;
};

TEST_CASE("what the handler skips is not passed to it") {
  const std::string text =
      R"({"a": [1, "]\"", {"b": [2, "\\"]}], "c": 3, "d": [], "e": {"f": [[]]}})";
  for (const size_t piece : {1, 3, 1000}) {
    TextPieces pieces(text, piece);
    NoLists notes;
    CHECK(JsonParser(&pieces, &notes).Run() == End::kWhole);
    CHECK(notes.text ==
          "{\nkey a\n[\nend\nkey c\n3\nkey d\n[\nend\nkey e\n{\n"
          "key f\n[\nend\nend\nend\n");
  }
  for (const char* early : {"[1, [2]", "{\"a\": [\"", "[\"x\\"}) {
    TextPieces pieces(early, 1000);
    NoLists notes;
    CHECK(JsonParser(&pieces, &notes).Run() == End::kEarly);
  }
}

TEST_CASE("the parser says how the text ended") {
  Notes notes;
  CHECK(Parse("\xef\xbb\xbf[1] rest", 2, &notes) == End::kWhole);
  CHECK(Parse("[1, {\"a\": ", 3, &notes) == End::kEarly);
  CHECK(Parse("[\"abc", 3, &notes) == End::kEarly);
  CHECK(Parse("", 3, &notes) == End::kEarly);
  CHECK(Parse("[1 2]", 3, &notes) == End::kBroken);
  CHECK(Parse("[1}]", 3, &notes) == End::kBroken);
  notes.values_left = 2;
  CHECK(Parse("[1, 2, 3]", 3, &notes) == End::kStopped);
}

TEST_CASE("a number beyond a double is one") {
  Notes notes;
  CHECK(Parse("[1e999]", 3, &notes) == End::kWhole);
  CHECK(notes.text == "[\n1e999\nend\n");
}

}  // namespace inquest::importers
