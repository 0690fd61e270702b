// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "corbel/cdr/value_stream.hpp"
#include "corbel/cdr/value_tables.hpp"
#include "corbel/cdr/value_tags.hpp"

namespace corbel::cdr {
namespace {

bool is_same(const Format& one, const Format& other) noexcept {
  return one.little_endian == other.little_endian && one.giop_minor == other.giop_minor &&
         one.char_set == other.char_set && one.wchar_set == other.wchar_set;
}

/// True if something in a value could be an indirection to what is before it.
bool may_lead_out(base::ConstByteSpan octets, bool swapped) noexcept {
  for (std::size_t at = 4; at + 4 <= octets.size(); at += 4) {
    std::uint32_t before = 0, offset = 0;
    std::memcpy(&before, octets.data() + at - 4, sizeof before);
    std::memcpy(&offset, octets.data() + at, sizeof offset);
    if (swapped) offset = byte_swap(offset);
    if (before == tag::kIndirection && offset > INT32_MAX && at < std::uint64_t{1} + ~offset) return true;
  }
  return false;
}

}  // namespace

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
  std::size_t tag = 0;               // where the last value begins
  std::optional<std::size_t> shift;  // by which copies lie behind what they are copies of, modulo 2^64
  bool shifted_unevenly = false;
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
  tables_.tag = encoder_.position();
  tables_.values.emplace(identity, tables_.tag);
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

void ValueWriter::note_shift(std::size_t shift) noexcept {
  tables_.shifted_unevenly |= tables_.shift.value_or(shift) != shift;
  tables_.shift = shift;
}

void ValueWriter::note_copied(const ValueHeader& header, std::size_t state, bool chunked) {
  tables_.shifted_unevenly |= header.chunked != chunked;
  note_shift(tables_.tag - header.position);
  if (chunked) state = (state + 3) / 4 * 4;  // the length of the first chunk is there
  note_shift((chunked ? tables_.chunk_begin - sizeof(std::uint32_t) : encoder_.position()) - state);
}

bool ValueWriter::put_copy(const void* identity, const ValueHeader& header, Decoder& in) {
  const ValueTables& read = *ValueTables::of(in);
  close_chunk();
  encoder_.align(4);
  const std::size_t begin = encoder_.position();
  note_shift(begin - header.position);
  // What is aligned stays so, and levels in end tags are those around it.
  if ((begin - header.position) % 8 != 0 || read.level != tables_.level + 1 || !is_same(in.format(), encoder_.format()))
    return false;
  ValueReader(in).end(header);
  std::size_t end = in.stream_position();
  if (read.closed != 0) end -= sizeof(std::int32_t);  // the tag is also that of values around this one
  if (!in.ok() || !in.charge(end - header.position)) return true;
  const base::ConstByteSpan octets = in.at(header.position).take_octets(end - header.position);
  if (tables_.shifted_unevenly && may_lead_out(octets, encoder_.format().swapped())) return false;
  encoder_.copy_octets(octets.data(), octets.size());
  tables_.values.emplace(identity, begin);
  if (in_chunks()) open_chunk();
  return true;
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
