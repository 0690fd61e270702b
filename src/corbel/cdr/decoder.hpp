// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include "corbel/base/bytes.hpp"
#include "corbel/base/error.hpp"
#include "corbel/base/export.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/cdr/format.hpp"
#include "corbel/cdr/rest.hpp"

namespace corbel::cdr {

/// What decoding needs from outside the octets (an ORB, to turn references into objects). The cdr room only carries it.
class CORBEL_API Context {
 public:
  /// Pays for what values take beyond Decoder::withhold(); outlives the messages. nullptr: nothing is counted.
  virtual Memory* value_memory() noexcept { return nullptr; }

 protected:
  ~Context() = default;
};

/// Reads CDR in place from octets that the caller owns and keeps alive. Octet 0 of the span is the alignment origin.
///
/// Failures stick: after the first one reads return zeros and empty values, and ok() is false; look once, at the end.
/// Any input is safe: containers are sized only through take_count(). Copies are cheap. Not thread-safe.
class CORBEL_API Decoder {
 public:
  Decoder() noexcept : Decoder({}, {}, {}) {}
  /// Begins at `position`, which is at most octets.size().
  Decoder(base::ConstByteSpan octets, Format format, const Limits& limits = {}, std::size_t position = 0) noexcept
      : cursor_(octets.data() + position),
        end_(octets.data() + octets.size()),
        limit_(end_),
        origin_(octets.data()),
        swap_(format.swapped()),
        format_(format),
        max_depth_(limits.max_depth),
        max_expansion_(limits.max_expansion),
        budget_(octets.size() * limits.max_expansion + limits.free_memory) {}

  /// Becomes a new one: assigns that without making it elsewhere first.
  void begin(base::ConstByteSpan octets, Format format, const Limits& limits, std::size_t position) noexcept {
    this->~Decoder();
    ::new (static_cast<void*>(this)) Decoder(octets, format, limits, position);
  }

  const Format& format() const noexcept { return format_; }
  /// Not owned; nullptr unless set.
  Context* context() const noexcept { return context_; }
  void set_context(Context* context) noexcept { context_ = context; }
  /// Sets the code sets of the rest (they become known after the message header was read).
  void set_code_sets(CodeSet for_char, CodeSet for_wchar) noexcept {
    format_.char_set = for_char;
    format_.wchar_set = for_wchar;
  }
  bool ok() const noexcept { return code_ == base::Code::none; }
  /// The first failure as an error of Stage::decode; only if not ok().
  base::Error error() const noexcept { return base::error(base::Stage::decode, code_); }
  /// Records a failure (the first wins); every later read yields nothing.
  void fail(base::Code code) noexcept {
    if (ok()) code_ = code;
    end_ = limit_ = cursor_;
    joints_ = {};
  }

  /// For octets that were joined from GIOP 1.1 fragments. `joints`: offsets, in ascending order, where the data of each
  /// further fragment begin; they must outlive this. Values are aligned from the header of the fragment that they are
  /// in, as if 12 octets came before a joint. Runs of octets and arrays of primitives go on across joints as they lie.
  /// Call once, right after construction.
  void set_joints(std::span<const std::size_t> joints) noexcept {
    if (!joints.empty()) [[unlikely]]
      enter_joints(joints);
  }
  /// True if alignment will change at a joint or chunk still ahead.
  bool has_joints() const noexcept { return !joints_.empty() || chunks_ != Chunks::none; }

  /// The octets go on in `rest`, which outlives all copies of this. Call once, right after construction; not with
  /// joints. remaining() and position() are of what comes before it, until something needs both in one piece.
  void set_rest(Rest& rest) noexcept {
    rest_ = &rest;
    budget_ += rest.came().size() * max_expansion_;
  }
  bool has_rest() const noexcept { return rest_ != nullptr; }
  /// What has not been joined or taken of it.
  base::ConstByteSpan rest() const noexcept { return rest_ != nullptr ? rest_->came() : base::ConstByteSpan(); }
  /// If a sequence<octet> comes next which is the rest, and nothing else: `value` is that, and has its memory.
  bool take_rest(base::Bytes& value) noexcept;
  /// As take_rest(), in place, of a sequence of elements of so many octets. If they are lent (Rest::lent), they may
  /// change at any time.
  bool view_rest(base::ConstByteSpan& octets, std::size_t element = 1, std::size_t alignment = 1) noexcept;
  /// If nothing is left before the rest, and that is `size` octets behind room for `lead`: its memory, for which the
  /// caller may exchange other memory before it calls end_rest(). Else nullptr.
  base::Bytes* open_rest(std::size_t lead, std::size_t size) noexcept;
  void end_rest() noexcept;
  /// Puts the rest behind what came before it, in one piece; false if there is none, or (then failed) no memory. Copies
  /// of this decoder need not know.
  bool join_rest() noexcept;

  /// True if the octets were joined, so that positions are not those of one message.
  bool is_joined() const noexcept { return start_ != nullptr; }
  /// The position that indirections count with: of joined octets, as if there had been no fragments.
  std::size_t stream_position() const noexcept {
    return is_joined() ? static_cast<std::size_t>(cursor_ - start_) : position();
  }

  std::size_t position() const noexcept { return static_cast<std::size_t>(cursor_ - origin_); }
  std::size_t remaining() const noexcept { return static_cast<std::size_t>(limit_ - cursor_); }
  /// Advances to a multiple of `alignment` from the origin without looking at the gap.
  void align(std::size_t alignment) noexcept {
    if (cursor_ == end_ && chunks_ == Chunks::open) [[unlikely]]
      next_chunk();
    std::size_t gap = gap_to(alignment);
    while (gap > in_segment()) [[unlikely]] {
        if (!next_segment()) return;
        gap = gap_to(alignment);
      }
    cursor_ += gap;
  }
  /// As align(), but at the end of the data it stays there (GIOP 1.2 bodies are aligned only if there is one).
  void align_if_more(std::size_t alignment) noexcept {
    const std::size_t gap = gap_to(alignment);
    cursor_ += gap > remaining() ? remaining() : gap;
  }

  /// Reads one primitive. A boolean other than 0 or 1 fails with bad_boolean.
  template <Primitive T>
  T get() noexcept {
    if constexpr (sizeof(T) > 1) {
      std::size_t gap = gap_to(sizeof(T));
      while (in_segment() < gap + sizeof(T)) [[unlikely]] {
          if (!next_segment()) return T{};
          gap = gap_to(sizeof(T));
        }
      cursor_ += gap;
    } else {
      while (cursor_ == end_) [[unlikely]] {
          if (!next_segment()) return T{};
        }
    }
    if constexpr (std::is_same_v<T, bool>) {
      const std::uint8_t octet = *cursor_++;
      if (octet > 1) [[unlikely]]
        fail(base::Code::bad_boolean);
      return octet != 0;
    } else {
      T value;
      std::memcpy(&value, cursor_, sizeof(T));
      cursor_ += sizeof(T);
      if constexpr (sizeof(T) > 1) {
        if (swap_) value = byte_swap(value);
      }
      return value;
    }
  }

  /// Reads an IEEE binary128 (16 octets, aligned to 8).
  long double get_long_double() noexcept;

  /// Reads `count` contiguous primitives into `values`; nothing is written on failure.
  template <Primitive T>
  void get_array(T* values, std::size_t count) noexcept {
    if (count == 0) return;
    align(sizeof(T));
    const base::ConstByteSpan raw = take_octets(count * sizeof(T));
    if (raw.size() != count * sizeof(T)) return;
    if constexpr (std::is_same_v<T, bool>) {
      if (!check_booleans(raw)) return;
    }
    if (sizeof(T) == 1 || !swap_) {
      base::copy_octets(values, raw.data(), raw.size());
    } else {
      swap_into(values, raw.data(), count, sizeof(T));
    }
  }

  /// `size` octets in place; empty, and failed with truncated, if there are fewer.
  base::ConstByteSpan take_octets(std::size_t size) noexcept {
    if (size > remaining() && lack(size)) [[unlikely]]
      return {};
    const base::ConstByteSpan octets(cursor_, size);
    if (size > in_segment()) [[unlikely]]
      return take_beyond(size);
    cursor_ += size;
    return octets;
  }

  /// The only function that turns a length on the wire into a container's size. Reads the ulong count and checks that
  /// so many elements of at least `min_element_size` octets each (0 counts as 1) can still follow, and that the memory
  /// they will take (`element_memory` octets each) is within the message's budget. Returns 0 on failure.
  std::size_t take_count(std::size_t min_element_size, std::size_t element_memory = 1) noexcept {
    const std::size_t count = get<std::uint32_t>();
    const std::size_t smallest = min_element_size == 0 ? 1 : min_element_size;
    if (count > remaining() / smallest && lack(count * smallest)) [[unlikely]]
      return 0;
    return charge(count * element_memory) ? count : 0;
  }
  /// Charges memory to the message's budget; false, and failed with too_expanded, if it is used
  /// up.
  bool charge(std::size_t octets) noexcept {
    if (octets > budget_ && !ask_for(octets)) [[unlikely]]
      return false;
    budget_ -= octets;
    return true;
  }
  /// Withholds a part of the message's budget: what is more than the octets that remain and kUncharged. context() pays
  /// for it when values need it, until this message's attachment goes; if there is no more: no_value_memory. Called
  /// once, when the context is set.
  void withhold() noexcept {
    const std::size_t free = remaining() + kUncharged;
    if (budget_ <= free) return;
    withheld_ = budget_ - free;
    budget_ = free;
  }
  static constexpr std::size_t kUncharged = 64U << 10;
  /// What is left of the budget, withheld or not.
  std::size_t left_of_budget() const noexcept { return budget_ + withheld_; }

  /// sequence<octet> in place.
  base::ConstByteSpan get_octet_sequence() noexcept { return take_octets(take_count(1)); }
  /// A string in the transmission code set, as UTF-8.
  void get_string(std::string& out);
  /// A string that no code set applies to, in place, without its terminator.
  std::string_view get_plain_string() noexcept;
  wchar_t get_wchar() noexcept;
  void get_wstring(std::wstring& out);
  char get_char() noexcept { return get<char>(); }

  /// An encapsulation (sequence<octet> with its own byte order and origin) as a decoder of its own, with the remaining
  /// depth, the code sets and all of the memory budget, which settle() gives back. On failure this decoder fails and
  /// the result is empty.
  Decoder get_encapsulation() noexcept;
  /// Reads `octets` as an encapsulation: byte order octet first, which is also the origin.
  static Decoder from_encapsulation(base::ConstByteSpan octets, Format format = {}, const Limits& limits = {}) noexcept;

  /// Enters a level (Limits::max_depth); false, and failed with too_deep, when nested too deeply. Pair with leave().
  bool enter() noexcept {
    if (depth_ >= max_depth_) [[unlikely]] {
      fail(base::Code::too_deep);
      return false;
    }
    ++depth_;
    return true;
  }
  void leave() noexcept { --depth_; }
  /// Levels that the cursor is in.
  std::uint32_t depth() const noexcept { return depth_; }
  std::uint32_t max_depth() const noexcept { return max_depth_; }
  std::uint32_t max_expansion() const noexcept { return max_expansion_; }

  /// The state of valuetypes may come in chunks (CORBA 3.3 part 2, 9.3.4.6); ValueReader knows their grammar, and here
  /// they are read as if their data were joined. Reading goes on in the next chunk when one ends.
  void begin_chunks() noexcept;
  /// A chunk whose length has been read; false, and failed, if it cannot be one.
  bool enter_chunk(std::int32_t length) noexcept;
  /// Octets that are left in the chunk that is open.
  std::size_t left_in_chunk() const noexcept { return in_segment(); }
  /// Skips the rest of the chunk; what follows is read as it lies.
  void leave_chunks() noexcept;
  /// No chunk follows: reading more data fails.
  void end_chunks() noexcept;

  /// What this message carries along; null if nothing. Copies share it.
  const base::SharedPtr<Attachment>& attachment() const noexcept { return attachment_; }
  void attach(base::SharedPtr<Attachment> attachment) noexcept { attachment_ = std::move(attachment); }
  /// A decoder of the same octets, limits and attachment that begins at another stream_position().
  Decoder at(std::size_t position) const noexcept;
  /// Takes over what is left of the budget of another decoder of the message, what has been paid for it, and its
  /// failure.
  void settle(const Decoder& other) noexcept;

 private:
  enum class Chunks : std::uint8_t { none, open, ended };
  std::size_t gap_to(std::size_t alignment) const noexcept { return (0 - position()) & (alignment - 1); }
  std::size_t in_segment() const noexcept { return static_cast<std::size_t>(end_ - cursor_); }
  void enter_joints(std::span<const std::size_t> joints) noexcept;
  void pass_joints() noexcept;
  void pass_joint() noexcept;
  bool next_chunk() noexcept;
  base::ConstByteSpan take_beyond(std::size_t size) noexcept;
  /// What is left before the next joint is too little for a value, which therefore begins behind it. False, and failed
  /// with truncated, if there is none.
  bool next_segment() noexcept;
  /// True, and failed with truncated, if there are not so many octets, the rest included.
  [[gnu::cold, gnu::noinline]] bool lack(std::size_t octets) noexcept;
  bool is_at_rest(std::size_t element, std::size_t alignment) const noexcept;
  void release_for_rest() noexcept;
  [[gnu::cold, gnu::noinline]] bool ask_for(std::size_t octets) noexcept;
  bool pay(std::size_t octets) noexcept;
  void take_over_payment(const Decoder& other) noexcept;
  bool check_booleans(base::ConstByteSpan octets) noexcept;
  static void swap_into(void* values, const std::uint8_t* raw, std::size_t count, std::size_t width) noexcept;

  const std::uint8_t* cursor_;
  const std::uint8_t* end_;    // of what can be read without passing a joint
  const std::uint8_t* limit_;  // of everything
  const std::uint8_t* origin_;
  const std::uint8_t* start_ = nullptr;  // what joints_ count from
  std::span<const std::size_t> joints_;  // those ahead; the first is at end_
  bool swap_;
  base::Code code_ = base::Code::none;
  Format format_;
  std::uint32_t depth_ = 0;
  std::uint32_t max_depth_;
  std::uint32_t max_expansion_;
  std::size_t budget_;
  std::size_t withheld_ = 0;
  Context* context_ = nullptr;
  Rest* rest_ = nullptr;
  Chunks chunks_ = Chunks::none;
  std::uint32_t joints_passed_ = 0;  // before joints_
  base::SharedPtr<Attachment> attachment_;
};

}  // namespace corbel::cdr
