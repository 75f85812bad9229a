// SPDX-License-Identifier: Apache-2.0
#include "base/figures.h"

namespace inquest {
namespace {

template <typename T>
const T& ValueOr(const Figure::Value& value, const T& otherwise) {
  const T* held = std::get_if<T>(&value);
  return held == nullptr ? otherwise : *held;
}

const Figure kNull;
const std::string kNoText;
const Figure::List kNoItems;

}  // namespace

Figure::Figure(uint64_t value) : value_(value) {
  if (value <= INT64_MAX) value_ = static_cast<int64_t>(value);
}

bool Figure::IsInteger() const {
  return std::holds_alternative<int64_t>(value_) ||
         std::holds_alternative<uint64_t>(value_);
}

bool Figure::IsNumber() const {
  return IsInteger() || std::holds_alternative<double>(value_);
}

bool Figure::Bool() const {
  return ValueOr(value_, false);
}

int64_t Figure::Integer() const {
  if (const auto* real = std::get_if<double>(&value_)) {
    return static_cast<int64_t>(*real);
  }
  if (const auto* large = std::get_if<uint64_t>(&value_)) {
    return static_cast<int64_t>(*large);
  }
  return ValueOr(value_, int64_t{0});
}

double Figure::Real() const {
  if (const auto* real = std::get_if<double>(&value_)) return *real;
  if (const auto* large = std::get_if<uint64_t>(&value_)) {
    return static_cast<double>(*large);
  }
  return static_cast<double>(ValueOr(value_, int64_t{0}));
}

const std::string& Figure::Text() const {
  return ValueOr(value_, kNoText);
}

const Figure::List& Figure::Items() const {
  return ValueOr(value_, kNoItems);
}

Figure::List Figure::AsList() const {
  return IsList() ? Items() : List{*this};
}

bool operator==(const Figure& a, const Figure& b) {
  const bool numbers = a.IsNumber() && b.IsNumber();
  if (numbers && !(a.IsInteger() && b.IsInteger())) {
    return a.Real() == b.Real();
  }
  return a.value_ == b.value_;
}

const Figure* Figures::Find(std::string_view name) const {
  const auto found = map_.find(name);
  return found == map_.end() ? nullptr : &found->second;
}

Figure& Figures::operator[](std::string_view name) {
  return map_[std::string(name)];
}

const Figure& Figures::operator[](std::string_view name) const {
  const Figure* found = Find(name);
  return found == nullptr ? kNull : *found;
}

void Figures::Remove(std::string_view name) {
  if (const auto found = map_.find(name); found != map_.end()) {
    map_.erase(found);
  }
}

void Figures::AddIfNew(std::string_view name, const Figure& value) {
  map_.try_emplace(std::string(name), value);
}

void Figures::AddNew(const Figures& from) {
  map_.insert(from.begin(), from.end());
}

}  // namespace inquest
