// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "corbel/base/bytes.hpp"
#include "corbel/ipc/handle.hpp"

namespace corbel::ipc {

/// A segment of memory that several processes have mapped. Move-only; unmaps itself. bytes() stay where they are for
/// the life of the segment, also when it is moved.
///
/// Anonymous segments can neither shrink nor grow once they are made (they are sealed), so a hostile peer that has one
/// mapped cannot make this process fault; attach() refuses anything else. Whatever is in the segment may change at any
/// moment: copy a value out before checking it.
///
/// Errors (stage configure): out_of_resources, too_large, bad_argument; those named below.
class CORBEL_API SharedMemory {
 public:
  SharedMemory() noexcept = default;
  SharedMemory(SharedMemory&& other) noexcept
      : handle_(std::move(other.handle_)),
        bytes_(std::exchange(other.bytes_, base::ByteSpan())),
        name_(std::exchange(other.name_, std::string())) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    close();
    handle_ = std::move(other.handle_);
    bytes_ = std::exchange(other.bytes_, base::ByteSpan());
    name_ = std::exchange(other.name_, std::string());
    return *this;
  }
  ~SharedMemory() { close(); }

  /// A segment without name, filled with zeros; others get it by its handle (send_with, or inherited). `size` in
  /// octets, at least 1. The memory is reserved at once.
  static base::Result<SharedMemory> create(std::size_t size) noexcept;
  /// Maps a segment that create() made in another process. Errors: refused (not such a segment, or not sealed),
  /// too_large (more than `max_size` octets).
  static base::Result<SharedMemory> attach(Handle handle, std::size_t max_size) noexcept;

  /// A segment under a name ("/name"), filled with zeros; the name goes with this object. For processes that trust each
  /// other: a process that can open the name can shrink the segment, which ends this process with SIGBUS. `mode`:
  /// permission bits. Errors: address_in_use, refused.
  static base::Result<SharedMemory> create_named(std::string_view name, std::size_t size, unsigned mode = 0600);
  /// Maps a named segment. Errors: unreachable (no such name), refused, too_large.
  static base::Result<SharedMemory> open_named(std::string_view name, std::size_t max_size);

  bool is_open() const noexcept { return !bytes_.empty(); }
  base::ByteSpan bytes() const noexcept { return bytes_; }
  std::size_t size() const noexcept { return bytes_.size(); }
  /// The descriptor, still owned by the segment; -1 after close_handle().
  int handle() const noexcept { return handle_.get(); }
  /// Closes the descriptor; the mapping stays. For when no other process is to get the segment.
  void close_handle() noexcept { handle_.reset(); }
  /// Unmaps, and removes the name that create_named made.
  void close() noexcept;

 private:
  static base::Result<SharedMemory> map(Handle handle, std::size_t size) noexcept;

  Handle handle_;
  base::ByteSpan bytes_;
  std::string name_;  ///< to be removed
};

}  // namespace corbel::ipc
