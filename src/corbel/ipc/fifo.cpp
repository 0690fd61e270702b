// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/fifo.hpp"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "corbel/ipc/os_error.hpp"
#include "corbel/ipc/transfer.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;

static_assert(FifoSender::kMaxMessage + sizeof(std::uint32_t) == PIPE_BUF);

int list_length(std::size_t pieces) noexcept {
  return static_cast<int>(std::min<std::size_t>(pieces, IOV_MAX));
}

base::Result<std::string> checked(std::string_view path, Stage stage) {
  if (path.empty() || path.find('\0') != std::string_view::npos) return base::error(stage, Code::bad_argument);
  return std::string(path);
}

/// Keeps the SIGPIPE of one operation away from this thread, unless another one was sent to it before.
class SignalGuard {
 public:
  SignalGuard() noexcept {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &old_);
  }
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard() {
    const int os_error = errno;
    pthread_sigmask(SIG_SETMASK, &old_, nullptr);
    errno = os_error;
  }
  void swallow() const noexcept {
    const timespec at_once{};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
  }

 private:
  sigset_t pipe_;
  sigset_t old_;
  bool was_pending_;
};

base::Result<Handle> open_end(const std::string& path, int flags) noexcept {
  int descriptor;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0 && errno == ENXIO) return base::error(Stage::connect, Code::refused, ENXIO);
  if (descriptor < 0) return last_failure(Stage::connect);
  return Handle(descriptor);
}

base::Status check_kind(const std::string& path) noexcept {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return last_failure(Stage::connect);
  return S_ISFIFO(status.st_mode) ? base::Status() : base::error(Stage::connect, Code::unsupported);
}

/// Opens for sending as soon as a receiver does, told by the file system.
base::Result<Handle> open_when_received(const std::string& path, Deadline deadline) noexcept {
  Handle watch(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!watch || ::inotify_add_watch(watch.get(), path.c_str(), IN_OPEN) < 0) return last_failure(Stage::connect);
  for (;;) {
    auto handle = open_end(path, O_WRONLY | O_NONBLOCK);
    if (handle || handle.error().os_error != ENXIO) return handle;
    CORBEL_CHECK(wait_ready(watch.get(), Ready::readable, deadline, Stage::connect));
    alignas(inotify_event) std::array<char, 4096> events;
    while (::read(watch.get(), events.data(), events.size()) > 0) {
    }
  }
}

}  // namespace

base::Result<Fifo> Fifo::create(std::string_view path, unsigned mode) {
  CORBEL_TRY(const std::string name, checked(path, Stage::listen));
  if (::mkfifo(name.c_str(), mode) != 0) {
    return errno == EEXIST ? base::error(Stage::listen, Code::address_in_use, EEXIST) : last_failure(Stage::listen);
  }
  Fifo fifo;
  fifo.path_ = name;
  return fifo;
}

void Fifo::remove() noexcept {
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
}

namespace detail {

PipeEnd::PipeEnd(Handle handle) noexcept : handle_(std::move(handle)) {
  non_blocking_ = handle_ && (::fcntl(handle_.get(), F_GETFL) & O_NONBLOCK) != 0;
}

base::Status PipeEnd::prepare(Deadline deadline) noexcept {
  if (non_blocking_ || deadline.is_none()) return {};
  CORBEL_CHECK(set_non_blocking(handle_.get(), true));
  non_blocking_ = true;
  return {};
}

base::Status PipeEnd::wait_after(const base::Error& error, Ready ready, Deadline deadline) const noexcept {
  if (error.code != Code::would_block || deadline.is_now()) return error;
  return wait_ready(handle_.get(), ready, deadline, error.stage);
}

}  // namespace detail

base::Result<FifoReceiver> FifoReceiver::open(std::string_view path, Deadline deadline) {
  CORBEL_TRY(const std::string name, checked(path, Stage::connect));
  CORBEL_CHECK(check_kind(name));
  CORBEL_TRY(Handle handle, open_end(name, deadline.is_none() ? O_RDONLY : O_RDONLY | O_NONBLOCK));
  if (!deadline.is_none() && !deadline.is_now()) {
    CORBEL_CHECK(wait_ready(handle.get(), Ready::readable, deadline, Stage::connect));
  }
  return FifoReceiver(std::move(handle));
}

base::Result<FifoReceiver> FifoReceiver::open_lasting(std::string_view path) {
  CORBEL_TRY(const std::string name, checked(path, Stage::connect));
  CORBEL_CHECK(check_kind(name));
  CORBEL_TRY(Handle handle, open_end(name, O_RDWR));  // Linux: opens at once, and is a sender itself
  return FifoReceiver(std::move(handle));
}

base::Result<std::size_t> FifoReceiver::recv(base::ByteSpan room, Deadline deadline) noexcept {
  const IoVector one(room);
  return recvv({&one, 1}, deadline);
}

base::Result<std::size_t> FifoReceiver::recvv(std::span<const IoVector> list, Deadline deadline) noexcept {
  CORBEL_CHECK(prepare(deadline));
  for (;;) {
    const ssize_t count = ::readv(handle(), list.data(), list_length(list.size()));
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) CORBEL_CHECK(wait_after(last_failure(Stage::receive), Ready::readable, deadline));
  }
}

base::Status FifoReceiver::recv_n(base::ByteSpan room, Deadline deadline, std::size_t* received) noexcept {
  IoVector one(room);
  return recvv_n({&one, 1}, deadline, received);
}

base::Status FifoReceiver::recvv_n(std::span<IoVector> list, Deadline deadline, std::size_t* received) noexcept {
  return detail::transfer_all<true>(
      list, received, [&](std::span<IoVector> left) { return recvv(left, deadline); },
      [](const base::Error& error) { return base::Status(error); });
}

base::Result<std::size_t> FifoReceiver::recv_message(base::ByteSpan room, Deadline deadline) noexcept {
  std::uint32_t size = 0;
  CORBEL_CHECK(recv_n({reinterpret_cast<base::Octet*>(&size), sizeof size}, deadline));
  if (size > FifoSender::kMaxMessage) return base::error(Stage::receive, Code::malformed);
  const std::size_t fits = std::min<std::size_t>(size, room.size());
  std::array<base::Octet, FifoSender::kMaxMessage> rest;
  std::array<IoVector, 2> list{IoVector(room.data(), fits), IoVector(rest.data(), size - fits)};
  const base::Status status = recvv_n(list, deadline);
  if (!status) return base::error(Stage::receive, Code::malformed);  // a message comes whole, so this was none
  if (fits < size) return base::error(Stage::receive, Code::truncated);
  return std::size_t{size};
}

FifoSender::FifoSender(Handle handle) noexcept : PipeEnd(std::move(handle)) {
  struct sigaction action {};
  guard_signal_ = ::sigaction(SIGPIPE, nullptr, &action) != 0 || action.sa_handler != SIG_IGN;
}

base::Result<FifoSender> FifoSender::open(std::string_view path, Deadline deadline) {
  CORBEL_TRY(const std::string name, checked(path, Stage::connect));
  CORBEL_CHECK(check_kind(name));
  if (!deadline.is_none() && !deadline.is_now()) {
    CORBEL_TRY(Handle handle, open_when_received(name, deadline));
    return FifoSender(std::move(handle));
  }
  CORBEL_TRY(Handle handle, open_end(name, deadline.is_none() ? O_WRONLY : O_WRONLY | O_NONBLOCK));
  return FifoSender(std::move(handle));
}

base::Result<std::size_t> FifoSender::write_some(std::span<const ConstIoVector> list) noexcept {
  ssize_t count;
  if (guard_signal_) {
    const SignalGuard guard;
    count = ::writev(handle(), list.data(), list_length(list.size()));
    const int os_error = errno;
    if (count < 0 && os_error == EPIPE) guard.swallow();
    errno = os_error;
  } else {
    count = ::writev(handle(), list.data(), list_length(list.size()));
  }
  if (count < 0) return last_failure(Stage::send);
  return static_cast<std::size_t>(count);
}

base::Result<std::size_t> FifoSender::send(base::ConstByteSpan data, Deadline deadline) noexcept {
  const ConstIoVector one(data);
  return sendv({&one, 1}, deadline);
}

base::Result<std::size_t> FifoSender::sendv(std::span<const ConstIoVector> list, Deadline deadline) noexcept {
  CORBEL_CHECK(prepare(deadline));
  for (;;) {
    auto count = write_some(list);
    if (count || count.error().os_error != EINTR) {
      if (count) return count;
      CORBEL_CHECK(wait_after(count.error(), Ready::writable, deadline));
    }
  }
}

base::Status FifoSender::send_n(base::ConstByteSpan data, Deadline deadline, std::size_t* sent) noexcept {
  ConstIoVector one(data);
  return sendv_n({&one, 1}, deadline, sent);
}

base::Status FifoSender::sendv_n(std::span<ConstIoVector> list, Deadline deadline, std::size_t* sent) noexcept {
  return detail::transfer_all<false>(
      list, sent, [&](std::span<ConstIoVector> left) { return sendv(left, deadline); },
      [](const base::Error& error) { return base::Status(error); });
}

base::Status FifoSender::send_message(base::ConstByteSpan message, Deadline deadline) noexcept {
  if (message.size() > kMaxMessage) return base::error(Stage::send, Code::too_large);
  const auto size = static_cast<std::uint32_t>(message.size());
  const std::array<ConstIoVector, 2> list{ConstIoVector(&size, sizeof size), ConstIoVector(message)};
  auto sent = sendv(list, deadline);
  return sent ? base::Status() : base::Status(sent.error());
}

base::Result<std::pair<FifoReceiver, FifoSender>> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return last_failure(Stage::configure);
  return std::pair(FifoReceiver(Handle(ends[0])), FifoSender(Handle(ends[1])));
}

}  // namespace corbel::ipc
