// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "corbel/cdr/value_stream.hpp"
#include "corbel/cdr/value_tags.hpp"

namespace corbel::cdr {

struct ValueWriter::Tables final : Attachment {
  static Tables& of(Encoder& encoder) {
    if (encoder.attachment() == nullptr) encoder.attach(new Tables);
    return static_cast<Tables&>(*encoder.attachment());
  }

  std::unordered_map<const void*, std::size_t> values;
  std::map<std::string, std::size_t, std::less<>> ids;
  std::map<std::vector<std::string_view>, std::size_t> lists;
  std::list<std::string> kept;  // what the lists look at
  std::vector<base::SharedPtr<Attachment>> owners;
  std::uint32_t nesting = 0;
  std::int32_t level = 0;          // chunked values that are open
  std::uint8_t* length = nullptr;  // of the open chunk; null if none is open
  std::size_t chunk_begin = 0;
  std::uint8_t* end_tag = nullptr;  // the last one
  std::size_t after_end_tag = 0;
};

ValueWriter::ValueWriter(Encoder& encoder) : encoder_(encoder), tables_(Tables::of(encoder)) {}

bool ValueWriter::in_chunks() const noexcept {
  return tables_.level > 0;
}

void ValueWriter::keep(base::SharedPtr<Attachment> owner) {
  tables_.owners.push_back(std::move(owner));
}

void ValueWriter::put_indirection(std::size_t target) {
  encoder_.put(tag::kIndirection);
  const auto offset = static_cast<std::int64_t>(target) - static_cast<std::int64_t>(encoder_.position());
  if (offset < INT32_MIN) encoder_.fail(base::Code::too_large);
  encoder_.put(static_cast<std::int32_t>(offset));
}

// Nulls and indirections are data of the chunk that is open, not values that end it.
void ValueWriter::put_null() {
  encoder_.put(tag::kNull);
}

bool ValueWriter::put_known(const void* identity) {
  const auto known = tables_.values.find(identity);
  if (known == tables_.values.end()) return false;
  put_indirection(known->second);
  return true;
}

bool ValueWriter::begin(const void* identity, std::span<const std::string_view> ids, bool chunked) {
  if (++tables_.nesting > kMaxValueNesting) encoder_.fail(base::Code::too_deep);
  close_chunk();
  chunked |= in_chunks();
  encoder_.align(4);
  tables_.values.emplace(identity, encoder_.position());
  encoder_.put(tag::kValue | (chunked ? tag::kChunked : 0U) |
               (ids.empty()       ? 0U
                : ids.size() == 1 ? tag::kSingleId
                                  : tag::kIdList));
  put_ids(ids);
  if (!chunked) return false;
  ++tables_.level;
  open_chunk();
  return true;
}

void ValueWriter::end(bool chunked) {
  --tables_.nesting;
  if (!chunked) return;
  close_chunk();
  put_end_tag(-tables_.level--);
  if (in_chunks()) open_chunk();
}

/// A tag closes all values inside its own, so one that nothing separates from this one is overwritten. omniORB insists.
void ValueWriter::put_end_tag(std::int32_t level) {
  if (tables_.end_tag == nullptr || tables_.after_end_tag != encoder_.position()) {
    encoder_.align(4);
    tables_.end_tag = encoder_.reserve(4);
    encoder_.commit(4);
    tables_.after_end_tag = encoder_.position();
  }
  if (encoder_.format().swapped()) level = byte_swap(level);
  std::memcpy(tables_.end_tag, &level, sizeof level);
}

void ValueWriter::put_ids(std::span<const std::string_view> ids) {
  if (ids.size() < 2) {
    for (const auto id : ids) put_id(id);
    return;
  }
  const auto known = tables_.lists.find({ids.begin(), ids.end()});
  if (known != tables_.lists.end()) return put_indirection(known->second);
  std::vector<std::string_view> kept;
  for (const auto id : ids) kept.push_back(tables_.kept.emplace_back(id));
  tables_.lists.emplace(std::move(kept), encoder_.position());
  encoder_.put(static_cast<std::int32_t>(ids.size()));
  for (const auto id : ids) put_id(id);
}

void ValueWriter::put_id(std::string_view id) {
  if (const auto known = tables_.ids.find(id); known != tables_.ids.end()) return put_indirection(known->second);
  encoder_.align(4);
  tables_.ids.emplace(id, encoder_.position());
  encoder_.put_plain_string(id);
}

void ValueWriter::open_chunk() {
  encoder_.align(4);
  tables_.length = encoder_.reserve(4);
  encoder_.commit(4);
  tables_.chunk_begin = encoder_.position();
}

void ValueWriter::close_chunk() {
  if (tables_.length == nullptr) return;
  const std::size_t size = encoder_.position() - tables_.chunk_begin;
  if (size == 0) {
    encoder_.erase_last(4);  // there are no empty chunks
  } else {
    if (size >= tag::kValue) encoder_.fail(base::Code::too_large);
    auto length = static_cast<std::uint32_t>(size);
    if (encoder_.format().swapped()) length = byte_swap(length);
    std::memcpy(tables_.length, &length, sizeof length);
  }
  tables_.length = nullptr;
}

}  // namespace corbel::cdr
