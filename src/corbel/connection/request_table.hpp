// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "corbel/messaging/message.hpp"

namespace corbel::connection {

class Connection;

/// Requests that wait for something, by the connection that they came over and their id. A T is derived from Entry.
/// Keeps none of them: who lists one takes it off before it goes. Memory stays at what the most at a time needed. Not
/// thread-safe.
template <class T>
class RequestTable {
 public:
  class Entry {
   public:
    /// Only compared; null: a call of this process.
    const Connection* connection() const noexcept { return connection_; }
    bool is_listed() const noexcept { return link_ != nullptr; }
    /// What follows it in its list.
    T* next() const noexcept { return next_; }

   protected:
    Entry(const Connection* connection, const messaging::Origin& origin) noexcept
        : connection_(connection), id_(origin.id) {}

   private:
    friend class RequestTable;
    const Connection* const connection_;
    const std::uint32_t id_;
    T* next_ = nullptr;
    T** link_ = nullptr;  // what leads here
  };

  /// Throws std::bad_alloc.
  void add(T& request) {
    if (size_ >= lists_.size()) grow();
    put(request);
    ++size_;
  }
  /// Harmless if it is not listed: false then.
  bool remove(T& request) noexcept {
    Entry& entry = request;
    if (!entry.is_listed()) return false;
    *entry.link_ = entry.next_;
    if (entry.next_ != nullptr) entry_of(*entry.next_).link_ = entry.link_;
    entry.link_ = nullptr;
    --size_;
    return true;
  }
  /// nullptr if there is none.
  T* find(const Connection& connection, const messaging::Origin& origin) noexcept {
    if (lists_.empty()) return nullptr;
    for (T* each = list(&connection, origin.id); each != nullptr; each = each->next()) {
      const Entry& entry = *each;
      if (entry.connection_ == &connection && entry.id_ == origin.id) return each;
    }
    return nullptr;
  }
  /// The first of each list: what is added later comes in front.
  std::span<T*> lists() noexcept { return lists_; }
  std::size_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t kFirst = 64;

  static Entry& entry_of(T& request) noexcept { return request; }
  T*& list(const Connection* connection, std::uint32_t id) noexcept {
    const std::uint64_t key = reinterpret_cast<std::uintptr_t>(connection) / 64 + id;
    return lists_[(key * 0x9e3779b97f4a7c15U >> 32U) & (lists_.size() - 1)];
  }
  void put(T& request) noexcept {
    Entry& entry = request;
    T*& first = list(entry.connection_, entry.id_);
    entry.next_ = first;
    entry.link_ = &first;
    if (first != nullptr) entry_of(*first).link_ = &entry.next_;
    first = &request;
  }
  void grow() {
    std::vector<T*> before(lists_.empty() ? kFirst : lists_.size() * 2);
    std::swap(before, lists_);
    for (T* each : before) {
      while (each != nullptr) put(*std::exchange(each, each->next()));
    }
  }

  std::vector<T*> lists_;
  std::size_t size_ = 0;
};

}  // namespace corbel::connection
