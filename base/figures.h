// SPDX-License-Identifier: Apache-2.0
// What a line, a row or a verdict says in numbers and words: values by name
// ("requested_bytes": 2147483648). The type of all figures between reading
// and report, so that only the edges (rule files, the store's text, JSON
// reports) know a JSON library; figures_json.h converts. Plain values, copied
// freely; sizes are bytes and times nanoseconds unless the name says otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace inquest {

class Figure {
 public:
  using List = std::vector<Figure>;

  Figure() = default;  // null: looked up and missing
  Figure(std::nullptr_t) {}
  Figure(bool value) : value_(value) {}
  Figure(int value) : value_(int64_t{value}) {}
  Figure(int64_t value) : value_(value) {}
  Figure(uint64_t value);  // addresses and masks use all 64 bits
  Figure(double value) : value_(value) {}
  Figure(const char* text) : value_(std::string(text)) {}
  Figure(std::string_view text) : value_(std::string(text)) {}
  Figure(std::string text) : value_(std::move(text)) {}
  Figure(List list) : value_(std::move(list)) {}

  bool IsNull() const { return value_.index() == 0; }
  bool IsBool() const { return std::holds_alternative<bool>(value_); }
  bool IsInteger() const;
  bool IsNumber() const;
  bool IsText() const { return std::holds_alternative<std::string>(value_); }
  bool IsList() const { return std::holds_alternative<List>(value_); }

  // Each returns false, 0 or nothing if the figure has another type; Integer
  // truncates fractions.
  bool Bool() const;
  int64_t Integer() const;
  double Real() const;
  const std::string& Text() const;
  const List& Items() const;
  // A list as it is, anything else as a list of one.
  List AsList() const;

  // Numbers compare by value: 1 equals 1.0.
  friend bool operator==(const Figure& a, const Figure& b);

  using Value = std::variant<std::monostate, bool, int64_t, uint64_t, double,
                             std::string, List>;
  const Value& value() const { return value_; }

 private:
  Value value_;
};

// By name, in alphabetical order.
class Figures {
 public:
  using Map = std::map<std::string, Figure, std::less<>>;

  Figures() = default;
  Figures(std::initializer_list<Map::value_type> figures) : map_(figures) {}

  // Null pointer if there is no figure of that name.
  const Figure* Find(std::string_view name) const;
  bool Contains(std::string_view name) const { return Find(name) != nullptr; }
  Figure& operator[](std::string_view name);
  // A null figure if there is none of that name.
  const Figure& operator[](std::string_view name) const;
  void Remove(std::string_view name);
  void AddIfNew(std::string_view name, const Figure& value);
  void AddNew(const Figures& from);

  bool empty() const { return map_.empty(); }
  Map::const_iterator begin() const { return map_.begin(); }
  Map::const_iterator end() const { return map_.end(); }
  friend bool operator==(const Figures& a, const Figures& b) = default;

 private:
  Map map_;
};

// As JSON in one line; invalid UTF-8 becomes U+FFFD.
std::string JsonText(const Figure& figure);
std::string JsonText(const Figures& figures);
// Empty if the text is not a JSON object.
Figures ParseFigures(std::string_view json);

}  // namespace inquest
