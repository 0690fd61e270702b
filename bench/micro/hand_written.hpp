// SPDX-License-Identifier: Apache-2.0
// CDR by hand, as a programmer would write it who knows these three types, the byte order and nothing else: the
// control. Writing trusts the caller to have made room; reading checks that what it takes is there.
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

  /// The first begins where its short would, the others lie as in memory.
  void put(const Payload::BinStructs& values) {
    put(static_cast<std::uint32_t>(values.size()));
    if (values.empty()) return;
    put_member(values[0].s());
    put_member(values[0].c());
    put_member(values[0].l());
    put_member(values[0].o());
    put_member(values[0].d());
    std::memcpy(at_, &values[1], (values.size() - 1) * sizeof values[0]);
    at_ += (values.size() - 1) * sizeof values[0];
  }
  void put(const Payload::Names& values) {
    put(static_cast<std::uint32_t>(values.size()));
    for (const std::string& value : values) put(value);
  }
  void put(const Payload::Node& node) {
    put_member(node.id());
    put_member(node.weight());
    put(node.name());
    put(static_cast<std::uint32_t>(node.children().size()));
    for (const Payload::Node& child : node.children()) put(child);
  }
  std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }

 private:
  void align(std::size_t to) {
    while (size() % to != 0) *at_++ = 0;
  }
  template <class T>
  void put_member(T value) {
    align(sizeof value);
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  void put(std::uint32_t value) { put_member(value); }
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
    if (!get(count) || count > (left() + 4) / sizeof values[0]) return false;
    values.resize(count);
    if (count == 0) return true;
    Payload::BinStruct& first = values[0];
    const bool whole = get_member(first.s()) && get_member(first.c()) && get_member(first.l()) &&
                       get_member(first.o()) && get_member(first.d());
    const std::size_t rest = (count - 1) * sizeof first;
    if (!whole || rest > left()) return false;
    std::memcpy(static_cast<void*>(&first + 1), at_, rest);
    at_ += rest;
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
    std::uint32_t children = 0;
    const bool whole = get_member(node.id()) && get_member(node.weight()) && get(node.name()) && get(children);
    if (!whole || children > left() / 24) return false;
    node.children().resize(children);
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
  template <class T>
  bool get_member(T& value) {
    if (!align(sizeof value) || left() < sizeof value) return false;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return true;
  }
  bool get(std::uint32_t& value) { return get_member(value); }
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
