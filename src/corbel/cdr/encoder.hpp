// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "corbel/base/bytes.hpp"
#include "corbel/base/error.hpp"
#include "corbel/base/export.hpp"
#include "corbel/cdr/byte_swap.hpp"
#include "corbel/cdr/format.hpp"

namespace corbel::cdr {

/// One piece of an encoded message; layout-compatible with POSIX iovec (checked where it is used).
struct Segment {
  const void* data;
  std::size_t size;
};

class Context;  // decoder.hpp

/// Writes CDR. Octets go into storage that the encoder owns and reuses from message to message; large user data is not
/// copied but referred to, and the whole is handed out as a gather list. The first octet written after reset() is the
/// alignment origin (octet 0 of a message or encapsulation).
///
/// Failures stick: after the first one further writes are harmless and ok() is false; look once, at the end. Not
/// thread-safe. Referred data must stay alive and unchanged until the gather list has been sent.
class CORBEL_API Encoder {
 public:
  /// Arrays, octet runs and strings of at least this many octets are referred to, smaller ones copied, unless the
  /// encoder is told otherwise.
  static constexpr std::size_t kReferenceThreshold = 2048;
  /// From so many segments on what is smaller than that is copied, whatever the encoder was told: carriers that keep
  /// messages have a longest gather list (IOV_MAX), and a segment costs more than the octets of a small run.
  static constexpr std::size_t kMostSmallSegments = 512;
  /// Storage kept for the next message; what a larger message needed is given back.
  static constexpr std::size_t kKeepCapacity = 256U << 10;

  /// The owner that lends the encoder and holds a lock meanwhile.
  class Host {
   public:
    /// Code of the application is about to run in the middle of a message, and may do anything: let go of locks.
    virtual void on_foreign_code(Encoder& encoder) noexcept = 0;
    /// A reference was written, or what may hold some; a Decoder of it needs this, or one like it.
    virtual void on_context(Context& context) { (void)context; }

   protected:
    ~Host() = default;
  };

  explicit Encoder(Format format = {}, std::size_t capacity = 1024);
  ~Encoder();
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  /// From how many octets on arrays, octet runs and strings are referred to from now on, also after reset(); 0: all of
  /// them, kCopyAll: none.
  void set_reference_threshold(std::size_t octets) noexcept { reference_threshold_ = octets; }
  std::size_t reference_threshold() const noexcept { return reference_threshold_; }
  static constexpr std::size_t kCopyAll = ~std::size_t{0};

  /// Forgets what was written, keeps the storage. References to user data are dropped.
  void reset(Format format) noexcept {
    if (kept_octets_ > kKeepCapacity) [[unlikely]]
      trim();
    if (attachment_ != nullptr) [[unlikely]]
      detach();
    format_ = format;
    swap_ = format.swapped();
    code_ = base::Code::none;
    depth_ = 0;
    closed_octets_ = 0;
    segment_count_ = 0;
    current_ = first_;
    cursor_ = segment_begin_ = origin_ = first_begin_;
    limit_ = first_limit_;
  }
  /// Forgets what was written, and gives all storage back: the next message, which begins with reset(), allocates.
  void release() noexcept;
  /// True if it holds no more than the storage that it began with.
  bool is_small() const noexcept { return first_ != nullptr && kept_octets_ == 0 && attachment_ == nullptr; }
  const Format& format() const noexcept { return format_; }

  bool ok() const noexcept { return code_ == base::Code::none; }
  /// The first failure as an error of Stage::encode; only if not ok().
  base::Error error() const noexcept { return base::error(base::Stage::encode, code_); }
  /// Records a failure (the first wins).
  void fail(base::Code code) noexcept {
    if (ok()) code_ = code;
  }

  /// Anys inside Anys that are written at most, before the stack is used up.
  static constexpr std::uint16_t kMaxDepth = 1000;
  /// Enters one more; false, and failed with too_deep, beyond. Pair with leave() if true.
  bool enter() noexcept {
    if (depth_ == kMaxDepth) [[unlikely]] {
      fail(base::Code::too_deep);
      return false;
    }
    ++depth_;
    return true;
  }
  void leave() noexcept { --depth_; }

  /// Advances to a multiple of `alignment` (1, 2, 4 or 8) from the origin, writing zeros.
  void align(std::size_t alignment) {
    // The write position and the stream position are congruent modulo 8 by construction, so the pointer decides.
    if (gap_to(alignment) == 0) return;
    ensure(8);
    std::memset(cursor_, 0, 8);
    cursor_ += gap_to(alignment);
  }

  /// Writes one primitive, aligned to its size, in the format's byte order. bool is written as 0 or 1.
  template <Primitive T>
  void put(T value) {
    ensure(sizeof(T) == 1 ? 1 : 2 * sizeof(T));
    if constexpr (sizeof(T) > 1) {
      std::memset(cursor_, 0, sizeof(T));  // clears the gap, if any: cheaper than asking
      cursor_ += gap_to(sizeof(T));
      if (swap_) value = byte_swap(value);
    }
    std::memcpy(cursor_, &value, sizeof(T));
    cursor_ += sizeof(T);
  }

  /// Writes a long double as IEEE binary128 (16 octets, aligned to 8).
  void put_long_double(long double value);

  /// Writes `count` primitives contiguously; large arrays in native order are referred to.
  template <Primitive T>
  void put_array(const T* values, std::size_t count) {
    if (count == 0) return;
    align(sizeof(T));
    if (sizeof(T) == 1 || !swap_) {
      put_octets(values, count * sizeof(T));
    } else {
      put_swapped(values, count, sizeof(T));
    }
  }
  /// As put_array(), but always copied.
  template <Primitive T>
  void copy_array(const T* values, std::size_t count) {
    if (count == 0) return;
    align(sizeof(T));
    if (sizeof(T) == 1 || !swap_) {
      copy_octets(values, count * sizeof(T));
    } else {
      put_swapped(values, count, sizeof(T));
    }
  }

  /// Writes octets as they are, unaligned; refers to them if there are as many as the threshold, or more.
  void put_octets(const void* data, std::size_t size) {
    if (size >= reference_threshold_) {
      refer(data, size);
    } else {
      copy_octets(data, size);
    }
  }
  /// Writes octets as they are, always copied.
  void copy_octets(const void* data, std::size_t size) {
    ensure(size);
    if (size != 0) std::memcpy(cursor_, data, size);
    cursor_ += size;
  }
  /// Refers to octets without copying them.
  void put_reference(const void* data, std::size_t size);

  /// Room for `size` contiguous octets at the write position, whose address is congruent to position() modulo 8; for
  /// code that lays out a header itself. What was filled counts as written after commit().
  std::uint8_t* reserve(std::size_t size) {
    ensure(size);
    return cursor_;
  }
  void commit(std::size_t size) noexcept { cursor_ += size; }
  /// Takes back the last `size` octets, which were written by the last commit() (padding that turned out to be
  /// needless).
  void uncommit(std::size_t size) noexcept { cursor_ -= size; }

  /// As uncommit(), but not of the last commit() alone; the octets were copied, not referred to, in one piece.
  void erase_last(std::size_t size) noexcept;

  Host* host() const noexcept { return host_; }
  void set_host(Host* host) noexcept { host_ = host; }
  /// To be called before code of the application runs that writes a part of the message.
  void before_foreign_code() noexcept {
    if (host_ != nullptr) host_->on_foreign_code(*this);
  }

  /// To be called when something is written that only a Decoder with this context can read again.
  void note_context(Context* context) {
    if (host_ != nullptr && context != nullptr) host_->on_context(*context);
  }

  /// What this message carries along; nullptr if nothing. reset() lets go of it.
  Attachment* attachment() const noexcept { return attachment_; }
  /// Takes ownership.
  void attach(Attachment* attachment) noexcept;

  /// Writes a container's length. Fails with too_large beyond 32 bits.
  void put_count(std::size_t count) {
    if (count > 0xffffffffU) fail(base::Code::too_large);
    put(static_cast<std::uint32_t>(count));
  }
  /// sequence<octet>.
  void put_octet_sequence(base::ConstByteSpan octets) {
    put_count(octets.size());
    put_octets(octets.data(), octets.size());
  }
  /// A string in the transmission code set. Fails on an embedded NUL (bad_string) or an inexpressible character.
  void put_string(std::string_view text);
  /// A string that no code set applies to (operation names, repository ids, addresses). Always copied.
  void put_plain_string(std::string_view text);
  /// A wide character or string in the form of the format's GIOP version; fails with wide_data where there is none.
  void put_wchar(wchar_t character);
  void put_wstring(std::wstring_view text);
  /// One narrow character. It is a single octet in every code set, so it passes untouched.
  void put_char(char character) { put(character); }

  /// Octets written so far.
  std::size_t position() const noexcept { return closed_octets_ + static_cast<std::size_t>(cursor_ - segment_begin_); }

  /// Overwrites a ulong written earlier in the same reserve() as the first octet (message headers are).
  void patch_u32(std::size_t offset, std::uint32_t value) noexcept {
    if (swap_) value = byte_swap(value);
    std::memcpy(origin_ + offset, &value, sizeof value);
  }
  void patch_octet(std::size_t offset, std::uint8_t value) noexcept { origin_[offset] = value; }

  /// The gather list of everything written, in order; valid until the next write or reset.
  std::span<const Segment> segments() {
    close_segment();
    return {segments_, segment_count_};
  }
  /// A contiguous copy, for encapsulations and tests.
  base::Bytes to_bytes();

 private:
  struct Block;
  static constexpr std::size_t kFirstSegments = 16;

  Segment* first_segments() const noexcept { return reinterpret_cast<Segment*>(first_limit_); }
  void begin_storage();

  std::size_t gap_to(std::size_t alignment) const noexcept {
    return (0 - reinterpret_cast<std::uintptr_t>(cursor_)) & (alignment - 1);
  }
  void ensure(std::size_t size) {
    if (static_cast<std::size_t>(limit_ - cursor_) < size) [[unlikely]]
      grow(size);
  }
  void close_segment() {
    if (cursor_ == segment_begin_) return;
    const auto size = static_cast<std::size_t>(cursor_ - segment_begin_);
    add_segment(segment_begin_, size);
    closed_octets_ += size;
    segment_begin_ = cursor_;
  }
  void add_segment(const void* data, std::size_t size) {
    if (segment_count_ == segment_capacity_) [[unlikely]]
      enlarge_segments();
    segments_[segment_count_++] = {data, size};
  }
  void refer(const void* data, std::size_t size);
  void grow(std::size_t size);
  void detach() noexcept;
  void trim() noexcept;
  void enlarge_segments();
  void free_blocks_after(Block* last) noexcept;
  void put_swapped(const void* values, std::size_t count, std::size_t width);
  void put_converted(std::string_view text);
  void put_text(std::string_view text, bool copied);

  std::uint8_t* cursor_;
  std::uint8_t* limit_;
  std::uint8_t* segment_begin_;
  std::uint8_t* origin_;  // where octet 0 is
  std::size_t reference_threshold_ = kReferenceThreshold;
  bool swap_;
  base::Code code_;
  std::uint16_t depth_;
  Format format_;
  std::size_t closed_octets_;
  std::size_t segment_count_;
  Segment* segments_ = nullptr;
  std::size_t segment_capacity_ = 0;
  Block* current_ = nullptr;
  const std::size_t first_capacity_;
  Block* first_ = nullptr;  // null after release()
  std::uint8_t* first_begin_ = nullptr;
  std::uint8_t* first_limit_ = nullptr;
  std::size_t kept_octets_ = 0;  // storage besides the first block
  Attachment* attachment_ = nullptr;
  Host* host_ = nullptr;
};

}  // namespace corbel::cdr
