// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "corbel/base/bytes.hpp"
#include "corbel/base/deadline.hpp"
#include "corbel/ipc/handle.hpp"
#include "corbel/ipc/io_vector.hpp"

namespace corbel::ipc {

/// The file of a named pipe; removes it when it goes. Move-only.
class CORBEL_API Fifo {
 public:
  Fifo() noexcept = default;
  Fifo(Fifo&& other) noexcept : path_(std::exchange(other.path_, std::string())) {}
  Fifo& operator=(Fifo&& other) noexcept {
    remove();
    path_ = std::exchange(other.path_, std::string());
    return *this;
  }
  ~Fifo() { remove(); }

  /// Makes the file with permission bits `mode` (less the umask). Errors (stage listen): address_in_use (there is a
  /// file of that name, of whatever kind), unreachable (no such directory), refused, bad_argument (empty, holds NUL).
  static base::Result<Fifo> create(std::string_view path, unsigned mode = 0600);

  const std::string& path() const noexcept { return path_; }
  /// Removes the file now; ends that are open stay connected.
  void remove() noexcept;

 private:
  std::string path_;
};

namespace detail {

/// One end of a pipe. A finite deadline makes the handle non-blocking for good; operations without deadline still wait.
class CORBEL_API PipeEnd {
 public:
  bool is_open() const noexcept { return static_cast<bool>(handle_); }
  int handle() const noexcept { return handle_.get(); }
  /// Gives the handle away, blocking or not as it is.
  [[nodiscard]] Handle release() noexcept { return std::move(handle_); }
  void close() noexcept { handle_.reset(); }

 protected:
  PipeEnd() noexcept = default;
  explicit PipeEnd(Handle handle) noexcept;
  PipeEnd(PipeEnd&&) noexcept = default;
  PipeEnd& operator=(PipeEnd&&) noexcept = default;
  ~PipeEnd() = default;

  /// After a failed transfer: nothing if it was not ready and became so by the deadline, else the error.
  base::Status wait_after(const base::Error& error, Ready ready, base::Deadline deadline) const noexcept;
  base::Status prepare(base::Deadline deadline) noexcept;

  Handle handle_;
  bool non_blocking_ = false;
};

}  // namespace detail

/// The end of a pipe (named or not) that receives octets. Move-only, closes itself. Several may share one named pipe;
/// each octet goes to one of them. Errors (stage receive): timed_out, would_block (Deadline::now()), lost.
class CORBEL_API FifoReceiver : public detail::PipeEnd {
 public:
  FifoReceiver() noexcept = default;
  /// Becomes owner of the reading end of a pipe.
  explicit FifoReceiver(Handle handle) noexcept : PipeEnd(std::move(handle)) {}

  /// Opens a named pipe. none() waits until a sender has opened it. now() does not wait: until the first sender comes
  /// it looks as if the last had gone. A finite deadline waits until something can be received, or a sender has come
  /// and gone. Errors (stage connect): unreachable (no such file), refused (permission), unsupported (the file is no
  /// named pipe), timed_out, bad_argument.
  static base::Result<FifoReceiver> open(std::string_view path, base::Deadline deadline = base::Deadline::none());
  /// Opens a named pipe at once, and so that it never ends when the last sender goes: for servers.
  static base::Result<FifoReceiver> open_lasting(std::string_view path);

  /// One read(2). 0 means that no sender has it open any more.
  base::Result<std::size_t> recv(base::ByteSpan room, base::Deadline deadline = base::Deadline::none()) noexcept;
  /// One readv(2) into a scatter list.
  base::Result<std::size_t> recvv(std::span<const IoVector> list,
                                  base::Deadline deadline = base::Deadline::none()) noexcept;
  /// Fills all of `room`; as Stream::recv_n.
  base::Status recv_n(base::ByteSpan room, base::Deadline deadline = base::Deadline::none(),
                      std::size_t* received = nullptr) noexcept;
  base::Status recvv_n(std::span<IoVector> list, base::Deadline deadline = base::Deadline::none(),
                       std::size_t* received = nullptr) noexcept;
  /// A message that send_message sent: its size. Use either messages or octets on one pipe, and one receiver. Errors:
  /// closed, truncated (longer than `room`, which holds its beginning; the rest is skipped), malformed (not a message).
  base::Result<std::size_t> recv_message(base::ByteSpan room,
                                         base::Deadline deadline = base::Deadline::none()) noexcept;
  base::Status wait_readable(base::Deadline deadline) const noexcept {
    return wait_ready(handle(), Ready::readable, deadline, base::Stage::receive);
  }
};

/// The end of a pipe (named or not) that sends octets. Move-only, closes itself. Errors (stage send): lost (no receiver
/// has it open any more; never a SIGPIPE), timed_out, would_block (Deadline::now()).
///
/// Unless the process ignores SIGPIPE, each operation must keep that signal away from its thread, which costs two
/// system calls more. A process that ignores it before it opens the pipe does not pay for them.
class CORBEL_API FifoSender : public detail::PipeEnd {
 public:
  /// The longest message, in octets: what a pipe takes whole or not at all.
  static constexpr std::size_t kMaxMessage = 4096 - sizeof(std::uint32_t);

  FifoSender() noexcept = default;
  /// Becomes owner of the writing end of a pipe.
  explicit FifoSender(Handle handle) noexcept;

  /// Opens a named pipe once a receiver has it open. Errors (stage connect): as FifoReceiver; refused (Deadline::now())
  /// or timed_out when there is no receiver.
  static base::Result<FifoSender> open(std::string_view path, base::Deadline deadline = base::Deadline::none());

  /// One write(2): number of octets sent, possibly fewer than asked for.
  base::Result<std::size_t> send(base::ConstByteSpan data, base::Deadline deadline = base::Deadline::none()) noexcept;
  /// One writev(2).
  base::Result<std::size_t> sendv(std::span<const ConstIoVector> list,
                                  base::Deadline deadline = base::Deadline::none()) noexcept;
  /// Sends all; as Stream::send_n.
  base::Status send_n(base::ConstByteSpan data, base::Deadline deadline = base::Deadline::none(),
                      std::size_t* sent = nullptr) noexcept;
  base::Status sendv_n(std::span<ConstIoVector> list, base::Deadline deadline = base::Deadline::none(),
                       std::size_t* sent = nullptr) noexcept;
  /// One writev(2): a message of at most kMaxMessage octets, whole or not at all, whatever others send to the same
  /// pipe. Error: too_large.
  base::Status send_message(base::ConstByteSpan message, base::Deadline deadline = base::Deadline::none()) noexcept;
  base::Status wait_writable(base::Deadline deadline) const noexcept {
    return wait_ready(handle(), Ready::writable, deadline, base::Stage::send);
  }

 private:
  base::Result<std::size_t> write_some(std::span<const ConstIoVector> list) noexcept;

  bool guard_signal_ = true;
};

/// Both ends of a pipe without name. Errors: out_of_resources.
CORBEL_API base::Result<std::pair<FifoReceiver, FifoSender>> make_pipe();

}  // namespace corbel::ipc
