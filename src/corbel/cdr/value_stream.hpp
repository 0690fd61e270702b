// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"

/// The frame of valuetypes on the wire (CORBA 3.3 part 2, 9.3.4): tags, repository ids, indirections, chunks. What the
/// values are is not known here. Tables of one message hang at its coder, so that values are shared between all
/// parameters.
namespace corbel::cdr {

/// Values inside values that are written at most; deeper ones fail with too_deep before the stack is used up.
inline constexpr std::uint32_t kMaxValueNesting = 1000;

struct ValueHeader;

/// Writes the frames of values. Cheap to make; the state is the encoder's.
class CORBEL_API ValueWriter {
 public:
  explicit ValueWriter(Encoder& encoder);

  void put_null();
  /// If the value of this identity is in the message, writes an indirection to it; else false.
  bool put_known(const void* identity);
  /// Begins a value: the tag and its ids, the most derived first, or none where the formal type tells. A list is
  /// written if there are several. Chunks are used if wanted, and inside a value that has them. Returns whether they
  /// are.
  bool begin(const void* identity, std::span<const std::string_view> ids, bool chunked);
  /// Ends the value that was begun last and has not ended; `chunked` is what begin() returned.
  void end(bool chunked);
  /// The value begun last, `chunked` as begin() returned, is a copy of the one with this header, whose state begins at
  /// `state` in its message.
  void note_copied(const ValueHeader& header, std::size_t state, bool chunked);
  /// Copies a value that has been begun in another message, with chunks, and what is in it, as octets, where nobody
  /// knows what they are. False if they would not be read as they are there, or what could be a position in
  /// them leads to what has not moved as they have. Values are to be copied from that message alone, with
  /// note_copied().
  bool put_copy(const void* identity, const ValueHeader& header, Decoder& in);
  /// Keeps something alive as long as the message: what identities belong to and nothing else owns.
  void keep(base::SharedPtr<Attachment> owner);
  /// True inside a value with chunks: values in it need ids so that a receiver that truncates can follow.
  bool in_chunks() const noexcept;

 private:
  struct Tables;
  void put_ids(std::span<const std::string_view> ids);
  void put_id(std::string_view id);
  void put_indirection(std::size_t target);
  void open_chunk();
  void close_chunk();
  void put_end_tag(std::int32_t level);
  void note_shift(std::size_t shift) noexcept;

  Encoder& encoder_;
  Tables& tables_;
};

/// What stands before a value's state.
struct ValueHeader {
  enum class Kind : std::uint8_t { null, known, value };
  Kind kind = Kind::null;
  bool chunked = false;
  std::size_t position = 0;                    ///< of the tag; known: of the tag of the earlier value
  std::span<const std::string_view> ids = {};  ///< empty where the formal type tells; in the message's tables
};

/// Reads the frames of values. Any octets are safe: nesting counts against the decoder's depth, tables against its
/// memory. Chunks in messages joined from GIOP 1.1 fragments fail with unsupported: alignment would begin anew inside
/// them.
class CORBEL_API ValueReader {
 public:
  explicit ValueReader(Decoder& decoder);

  /// Reads a header. Kind::null also on failure.
  ValueHeader begin();
  /// Ends a value after its state, skipping what is left of it (truncation).
  void end(const ValueHeader& header);
  /// Something else that lives with the message's tables: the objects made of its values.
  base::SharedPtr<Attachment>& companion();

  /// While it lives, `decoder` (Decoder::at a known position) can read a value that was skipped, or read as something
  /// else, before.
  class CORBEL_API Again {
   public:
    explicit Again(Decoder& decoder);
    ~Again();
    Again(const Again&) = delete;
    Again& operator=(const Again&) = delete;

   private:
    Decoder& decoder_;
    std::int32_t level_;
    std::int32_t closed_;
  };

 private:
  std::uint32_t read_tag();
  void read_type(std::uint32_t tag, ValueHeader& header);
  std::string_view read_text();
  std::span<const std::string_view> read_ids();
  ValueHeader read_indirection();

  Decoder& decoder_;
};

}  // namespace corbel::cdr
