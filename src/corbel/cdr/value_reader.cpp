// SPDX-License-Identifier: Apache-2.0
#include "corbel/cdr/value_stream.hpp"

#include "corbel/cdr/value_tables.hpp"
#include "corbel/cdr/value_tags.hpp"

namespace corbel::cdr {
namespace {

using base::Code;

/// Memory that a value takes in the tables and as an object, about; a value has four octets at least.
constexpr std::size_t kValueMemory = 192;

ValueTables& tables(Decoder& decoder) {
  return *ValueTables::of(decoder);
}

/// The position of the four octets that were read last.
std::size_t last_position(const Decoder& decoder) {
  return decoder.stream_position() - 4;
}

/// The position that an indirection at the cursor points to; false if it does not point backwards.
bool read_target(Decoder& decoder, std::size_t& target) {
  const auto offset = decoder.get<std::int32_t>();
  const std::size_t here = last_position(decoder);
  if (decoder.ok() && (offset > -5 || static_cast<std::size_t>(-static_cast<std::int64_t>(offset)) > here)) {
    decoder.fail(Code::malformed);
  }
  target = here - static_cast<std::size_t>(-static_cast<std::int64_t>(offset));
  return decoder.ok();
}

}  // namespace

ValueReader::ValueReader(Decoder& decoder) : decoder_(decoder) {
  if (decoder.attachment() == nullptr) decoder.attach(base::make_shared<ValueTables>());
}

base::SharedPtr<Attachment>& ValueReader::companion() {
  return tables(decoder_).companion;
}

ValueReader::Again::Again(Decoder& decoder)
    : decoder_(decoder), level_(tables(decoder).level), closed_(tables(decoder).closed) {
  tables(decoder).level = 0;
  tables(decoder).closed = 0;
}

ValueReader::Again::~Again() {
  tables(decoder_).level = level_;
  tables(decoder_).closed = closed_;
}

/// The tag of a value in the state of another, wherever it may stand: real values after the end of a chunk, nulls and
/// indirections inside one; peers also put those between chunks.
std::uint32_t ValueReader::read_tag() {
  ValueTables& state = tables(decoder_);
  if (state.level == 0) return decoder_.get<std::uint32_t>();
  if (state.closed != 0) decoder_.fail(Code::malformed);
  if (decoder_.left_in_chunk() < 4) {
    decoder_.leave_chunks();
    const auto tag = decoder_.get<std::uint32_t>();
    if (tag == tag::kNull || tag == tag::kIndirection || tag::is_value(tag)) return tag;
    if (!decoder_.enter_chunk(static_cast<std::int32_t>(tag))) return tag::kNull;
  }
  const auto tag = decoder_.get<std::uint32_t>();
  if (tag != tag::kNull && tag != tag::kIndirection) decoder_.fail(Code::malformed);
  return tag;
}

ValueHeader ValueReader::begin() {
  ValueHeader header;
  const std::uint32_t tag = read_tag();
  if (!decoder_.ok() || tag == tag::kNull) {
    if (tables(decoder_).level > 0 && decoder_.left_in_chunk() == 0) decoder_.begin_chunks();
    return header;
  }
  if (tag == tag::kIndirection) return read_indirection();
  header.position = last_position(decoder_);
  header.chunked = (tag & tag::kChunked) != 0;
  if (header.chunked && decoder_.is_joined()) decoder_.fail(Code::unsupported);
  // Inside chunks everything is in chunks.
  if (!tag::is_value(tag) || (tag & tag::kReservedMask) != 0 || (tables(decoder_).level > 0 && !header.chunked)) {
    decoder_.fail(Code::malformed);
  }
  if (!decoder_.charge(kValueMemory)) return header;
  read_type(tag, header);
  if (!decoder_.ok()) return header;
  header.kind = ValueHeader::Kind::value;
  tables(decoder_).values.insert_or_assign(header.position, true);
  if (header.chunked) {
    ++tables(decoder_).level;
    decoder_.begin_chunks();
  }
  return header;
}

ValueHeader ValueReader::read_indirection() {
  ValueHeader header;
  const bool backwards = read_target(decoder_, header.position);
  if (backwards && tables(decoder_).values.find(header.position) == nullptr) decoder_.fail(Code::malformed);
  if (tables(decoder_).level > 0 && decoder_.left_in_chunk() == 0) decoder_.begin_chunks();
  if (decoder_.ok()) header.kind = ValueHeader::Kind::known;
  return header;
}

void ValueReader::read_type(std::uint32_t tag, ValueHeader& header) {
  if ((tag & tag::kCodebase) != 0) read_text();
  switch (tag & tag::kTypeMask) {
    case 0:
      return;
    case tag::kSingleId: {
      const std::string_view id = read_text();
      header.ids = {&tables(decoder_).singles.emplace_back(id), 1};
      return;
    }
    case tag::kIdList:
      header.ids = read_ids();
      return;
    default:
      decoder_.fail(Code::malformed);
  }
}

/// A repository id or codebase, which may be one that came before.
std::string_view ValueReader::read_text() {
  Decoder ahead = decoder_;
  if (ahead.get<std::uint32_t>() != tag::kIndirection) {
    const std::size_t position = last_position(ahead);
    const std::string_view text = decoder_.get_plain_string();
    if (decoder_.ok() && decoder_.charge(kValueMemory)) tables(decoder_).texts.emplace(position, text);
    return text;
  }
  decoder_.get<std::uint32_t>();
  std::size_t target = 0;
  if (!read_target(decoder_, target)) return {};
  const auto known = tables(decoder_).texts.find(target);
  if (known != tables(decoder_).texts.end()) return known->second;
  decoder_.fail(Code::malformed);
  return {};
}

std::span<const std::string_view> ValueReader::read_ids() {
  auto& lists = tables(decoder_).lists;
  Decoder ahead = decoder_;
  const bool again = ahead.get<std::uint32_t>() == tag::kIndirection;
  const std::size_t position = last_position(ahead);
  if (again) {
    decoder_.get<std::uint32_t>();
    std::size_t target = 0;
    if (!read_target(decoder_, target)) return {};
    const auto known = lists.find(target);
    if (known == lists.end()) {
      decoder_.fail(Code::malformed);
      return {};
    }
    // The code that reads the value walks the list again.
    return decoder_.charge(known->second.size() * sizeof(std::string_view))
               ? std::span<const std::string_view>(known->second)
               : std::span<const std::string_view>();
  }
  const std::size_t count = decoder_.take_count(8, sizeof(std::string_view));
  if (count == 0) decoder_.fail(Code::malformed);
  std::vector<std::string_view> ids;
  ids.reserve(count);
  for (std::size_t i = 0; i < count && decoder_.ok(); ++i) ids.push_back(read_text());
  if (!decoder_.ok()) return {};
  return lists.insert_or_assign(position, std::move(ids)).first->second;
}

void ValueReader::end(const ValueHeader& header) {
  if (!header.chunked || !decoder_.ok()) return;
  ValueTables& state = tables(decoder_);
  // Skips what is left, values inside it too: their end tags are of deeper levels.
  while (decoder_.ok() && (state.closed == 0 || state.closed > state.level)) {
    decoder_.leave_chunks();
    const auto tag = decoder_.get<std::int32_t>();
    if (!decoder_.ok()) return;
    if (tag < 0) {
      state.closed = -static_cast<std::int64_t>(tag) > INT32_MAX ? INT32_MAX : -tag;
    } else if (tag::is_value(static_cast<std::uint32_t>(tag))) {
      ValueHeader skipped;
      skipped.position = last_position(decoder_);
      read_type(static_cast<std::uint32_t>(tag), skipped);
      if (decoder_.charge(kValueMemory)) state.values.insert_or_assign(skipped.position, true);
    } else {
      decoder_.enter_chunk(tag);
    }
  }
  if (state.closed == state.level) state.closed = 0;
  if (--state.level == 0) {
    decoder_.leave_chunks();
    state.closed = 0;
  } else if (state.closed != 0) {
    decoder_.end_chunks();
  } else {
    decoder_.begin_chunks();
  }
}

}  // namespace corbel::cdr
