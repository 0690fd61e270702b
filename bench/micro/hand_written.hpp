// SPDX-License-Identifier: Apache-2.0
// CDR by hand, as somebody would write it who knows these three types, the byte order and nothing else: the control.
// Writing trusts the caller to have made room; reading checks that what it takes is there.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "payload.hpp"

namespace bench {

class HandWriter {
 public:
  explicit HandWriter(std::vector<std::uint8_t>& buffer) : begin_(buffer.data()), at_(begin_) {}

  void put(const Payload::BinStructs& values) {
    put(static_cast<std::uint32_t>(values.size()));
    align(8);
    std::memcpy(at_, values.data(), values.size() * sizeof values[0]);
    at_ += values.size() * sizeof values[0];
  }
  void put(const Payload::Names& values) {
    put(static_cast<std::uint32_t>(values.size()));
    for (const std::string& value : values) put(value);
  }
  void put(const Payload::Node& node) {
    put(static_cast<std::uint32_t>(node.id()));
    align(8);
    const double weight = node.weight();
    std::memcpy(at_, &weight, 8);
    at_ += 8;
    put(node.name());
    put(static_cast<std::uint32_t>(node.children().size()));
    for (const Payload::Node& child : node.children()) put(child);
  }
  std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  void align(std::size_t to) {
    while (size() % to != 0) *at_++ = 0;
  }
  void put(std::uint32_t value) {
    align(4);
    std::memcpy(at_, &value, 4);
    at_ += 4;
  }
  void put(const std::string& value) {
    put(static_cast<std::uint32_t>(value.size() + 1));
    std::memcpy(at_, value.c_str(), value.size() + 1);
    at_ += value.size() + 1;
  }

  std::uint8_t* begin_;
  std::uint8_t* at_;
};

class HandReader {
 public:
  HandReader(const std::uint8_t* data, std::size_t size) : begin_(data), at_(data), end_(data + size) {}

  bool get(Payload::BinStructs& values) {
    std::uint32_t count = 0;
    if (!get(count) || !align(8) || count > left() / sizeof values[0]) return false;
    values.resize(count);
    std::memcpy(static_cast<void*>(values.data()), at_, count * sizeof values[0]);
    at_ += count * sizeof values[0];
    return true;
  }
  bool get(Payload::Names& values) {
    std::uint32_t count = 0;
    if (!get(count) || count > left() / 5) return false;
    values.resize(count);
    for (std::string& value : values) {
      if (!get(value)) return false;
    }
    return true;
  }
  bool get(Payload::Node& node) {
    std::uint32_t word = 0;
    if (!get(word) || !align(8) || left() < 8) return false;
    node.id(static_cast<std::int32_t>(word));
    double weight = 0;
    std::memcpy(&weight, at_, 8);
    at_ += 8;
    node.weight(weight);
    if (!get(node.name()) || !get(word) || word > left() / 24) return false;
    node.children().resize(word);
    for (Payload::Node& child : node.children()) {
      if (!get(child)) return false;
    }
    return true;
  }

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  bool align(std::size_t to) {
    const std::size_t gap = (to - static_cast<std::size_t>(at_ - begin_) % to) % to;
    if (gap > left()) return false;
    at_ += gap;
    return true;
  }
  bool get(std::uint32_t& value) {
    if (!align(4) || left() < 4) return false;
    std::memcpy(&value, at_, 4);
    at_ += 4;
    return true;
  }
  bool get(std::string& value) {
    std::uint32_t size = 0;
    if (!get(size) || size == 0 || size > left() || at_[size - 1] != 0) return false;
    value.assign(reinterpret_cast<const char*>(at_), size - 1);
    at_ += size;
    return true;
  }

  const std::uint8_t* begin_;
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

}  // namespace bench
