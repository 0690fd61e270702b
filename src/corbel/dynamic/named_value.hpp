// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace DynamicAny {

/// A member's name and its value, mapped as any struct is: NameValuePair and NameDynAnyPair.
template <class T>
class NamedValue {
 public:
  NamedValue() = default;
  NamedValue(std::string id, T value) : id_(std::move(id)), value_(std::move(value)) {}

  void id(std::string value) { id_ = std::move(value); }
  const std::string& id() const { return id_; }
  std::string& id() { return id_; }
  void value(T value) { value_ = std::move(value); }
  const T& value() const { return value_; }
  T& value() { return value_; }

  void swap(NamedValue& other) { std::swap(*this, other); }
  friend void swap(NamedValue& a, NamedValue& b) { a.swap(b); }
  friend bool operator==(const NamedValue& a, const NamedValue& b) { return a.id_ == b.id_ && a.value_ == b.value_; }

 private:
  std::string id_;
  T value_;
};

}  // namespace DynamicAny
