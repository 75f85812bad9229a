// SPDX-License-Identifier: Apache-2.0
// Results without exceptions. A Status is Ok or an error with one sentence for
// a human; an Expected<T> holds a value or an error. Used by every part, the
// collector included, so it depends on nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace inquest {

// The kind of error; the command line maps it to an exit code.
enum class StatusCode : uint8_t {
  kOk,
  kUsage,       // the caller's request is invalid
  kUnreadable,  // input that cannot be opened or is not what it claims to be
  kRules,       // a rule file with mistakes
  kIncomplete,  // a limit was hit, part of the input was not examined
  kInternal,    // a bug, or a failure of the machine (disk full, no memory)
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : code_(code), message_(std::move(message)) {}

  static Status Ok() { return {}; }
  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  // What, where and why. `hint` is what to do next and may be empty.
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }
  Status WithHint(std::string hint) && {
    hint_ = std::move(hint);
    return std::move(*this);
  }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
  std::string hint_;
};

inline Status Unreadable(std::string message) {
  return {StatusCode::kUnreadable, std::move(message)};
}
inline Status Internal(std::string message) {
  return {StatusCode::kInternal, std::move(message)};
}
inline Status Usage(std::string message) {
  return {StatusCode::kUsage, std::move(message)};
}

template <typename T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : value_(std::move(value)) {}
  Expected(Status status) : status_(std::move(status)) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }
  T Take() { return std::move(*value_); }

 private:
  std::optional<T> value_;
  Status status_;
};

}  // namespace inquest

#define INQUEST_CONCAT_(a, b) a##b
#define INQUEST_CONCAT(a, b) INQUEST_CONCAT_(a, b)

// Returns from the calling function when `expr` is a Status that is not ok.
#define RETURN_IF_ERROR(expr)                                \
  do {                                                       \
    if (::inquest::Status status_ = (expr); !status_.ok()) { \
      return status_;                                        \
    }                                                        \
  } while (false)

// Declares `lhs` from an Expected<T>, or returns its Status.
#define ASSIGN_OR_RETURN(lhs, expr) \
  ASSIGN_OR_RETURN_(INQUEST_CONCAT(expected_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_(name, lhs, expr) \
  auto name = (expr);                      \
  if (!name.ok()) return name.status();    \
  lhs = name.Take()
