// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/connector.hpp"

#include <algorithm>
#include <mutex>

#include "corbel/base/cancellation.hpp"
#include "corbel/base/condition.hpp"
#include "corbel/ipc/opening.hpp"

namespace corbel::ipc::detail {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;

/// How long connect(2) may block; it obeys the send time-out. Zero: for ever.
base::Status set_connect_timeout(int descriptor, base::Duration timeout) noexcept {
  const timeval native = OptionCodec<base::Duration>::encode(timeout);
  if (::setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &native, sizeof native) != 0) {
    return last_failure(Stage::connect);
  }
  return {};
}

/// A connect(2) that another thread can end. shutdown(2) ends one under way, and the time-out one that is just
/// beginning.
class CancellableConnect {
 public:
  explicit CancellableConnect(const Handle& handle) noexcept : descriptor_(handle.get()) {}
  base::Status check() const noexcept {
    if (wait_.cancelled()) return base::error(Stage::connect, Code::cancelled);
    return {};
  }

 private:
  static void end(void* descriptor) noexcept {
    const int socket = *static_cast<const int*>(descriptor);
    (void)set_connect_timeout(socket, std::chrono::microseconds(1));
    (void)::shutdown(socket, SHUT_RDWR);
  }

  int descriptor_;
  base::Cancellation::Wait wait_{&end, &descriptor_};
};

/// connect(2) until it has an answer; interrupted by a signal, calling it again goes on waiting, for as long as the
/// socket's time-out says. `cancellable`: of a socket whose time-out is the deadline.
int connect_fully(int descriptor, const ConnectParameters& parameters, Deadline deadline,
                  const CancellableConnect* cancellable = nullptr) noexcept {
  bool interrupted = false;
  for (;;) {
    if (::connect(descriptor, parameters.remote, parameters.remote_size) == 0) return 0;
    const int os_error = errno;
    if (interrupted && os_error == EISCONN) return 0;
    if (os_error != EINTR || deadline.expired()) return os_error;
    interrupted = true;
    if (cancellable == nullptr || deadline.is_none()) continue;
    // In this order: who cancels from now on sets a time-out behind this one.
    if (!set_connect_timeout(descriptor, std::max(deadline.remaining(), base::Duration(1)))) return os_error;
    if (!cancellable->check()) return os_error;
  }
}

/// A pause that another thread can end.
class CancellablePause {
 public:
  /// False if it was ended, or is not to begin.
  bool sleep(base::Duration time) noexcept {
    std::unique_lock lock(mutex_);
    return !changed_.wait(lock, Deadline::after(time), [&] { return ended_; }) && !wait_.cancelled();
  }

 private:
  static void end(void* self) noexcept {
    auto* const pause = static_cast<CancellablePause*>(self);
    {
      const std::lock_guard lock(pause->mutex_);
      pause->ended_ = true;
    }
    pause->changed_.notify_one();
  }

  base::Mutex mutex_;  // guards what follows
  bool ended_ = false;
  base::Condition changed_;
  base::Cancellation::Wait wait_{&end, this};
};

constexpr base::Duration kFirstLook = std::chrono::milliseconds(1);
constexpr base::Duration kSlowestLook = std::chrono::milliseconds(16);

/// A local acceptor's queue may be full. A connect(2) that waits for room there is ended by nothing but its time-out:
/// where another thread may end it, this one asks again and again.
base::Result<Handle> connect_local(const ConnectParameters& parameters, Deadline deadline) noexcept {
  CORBEL_TRY(Handle handle, prepare_connect(parameters, SOCK_NONBLOCK));
  int os_error = connect_fully(handle.get(), parameters, Deadline::none());
  if (os_error == EAGAIN) {
    CancellablePause pause;
    for (base::Duration next = kFirstLook; os_error == EAGAIN; next = std::min(2 * next, kSlowestLook)) {
      if (deadline.expired()) return base::error(Stage::connect, Code::timed_out);
      if (!pause.sleep(std::min(next, deadline.remaining()))) return base::error(Stage::connect, Code::cancelled);
      os_error = connect_fully(handle.get(), parameters, Deadline::none());
    }
  }
  if (os_error != 0) return failure(Stage::connect, os_error);
  CORBEL_CHECK(set_non_blocking(handle.get(), false));
  return handle;
}

}  // namespace

base::Result<Handle> prepare_connect(const ConnectParameters& parameters, int extra_type) noexcept {
  Handle handle(::socket(parameters.remote->sa_family, parameters.type | SOCK_CLOEXEC | extra_type, 0));
  if (!handle) return last_failure(Stage::connect);
  CORBEL_CHECK(set_int(handle.get(), SOL_SOCKET, SO_SNDBUF, parameters.send_buffer, Stage::connect));
  CORBEL_CHECK(set_int(handle.get(), SOL_SOCKET, SO_RCVBUF, parameters.receive_buffer, Stage::connect));
  if (const auto set = set_traffic(handle.get(), parameters.traffic); !set) {
    return base::error(Stage::connect, set.error().code, set.error().os_error);
  }
  if (parameters.local != nullptr && ::bind(handle.get(), parameters.local, parameters.local_size) != 0) {
    return last_failure(Stage::connect);
  }
  return handle;
}

base::Result<Handle> connect(const ConnectParameters& parameters, Deadline deadline) noexcept {
  if (deadline.is_now()) {
    bool completed = false;
    CORBEL_TRY(Handle handle, start_connect(parameters, completed));
    if (!completed) return base::error(Stage::connect, Code::would_block);
    CORBEL_CHECK(set_non_blocking(handle.get(), false));
    return handle;
  }
  if (parameters.remote->sa_family == AF_UNIX && base::Cancellation::Scope::is_open())
    return connect_local(parameters, deadline);
  CORBEL_TRY(Handle handle, prepare_connect(parameters, 0));
  if (!deadline.is_none()) {
    const base::Duration left = deadline.remaining();
    if (left == base::Duration::zero()) return base::error(Stage::connect, Code::timed_out);
    CORBEL_CHECK(set_connect_timeout(handle.get(), left));
  }
  const CancellableConnect cancellable(handle);
  CORBEL_CHECK(cancellable.check());
  const int os_error = connect_fully(handle.get(), parameters, deadline, &cancellable);
  CORBEL_CHECK(cancellable.check());
  if (os_error == EINPROGRESS || os_error == EALREADY || os_error == EAGAIN || os_error == EINTR) {
    return base::error(Stage::connect, Code::timed_out);  // the number only says that it was not done yet
  }
  if (os_error != 0) return failure(Stage::connect, os_error);
  if (!deadline.is_none()) CORBEL_CHECK(set_connect_timeout(handle.get(), base::Duration::zero()));
  return handle;
}

base::Result<Handle> start_connect(const ConnectParameters& parameters, bool& completed) noexcept {
  CORBEL_TRY(Handle handle, prepare_connect(parameters, SOCK_NONBLOCK));
  const int os_error = connect_fully(handle.get(), parameters, Deadline::none());
  if (os_error != 0 && os_error != EINPROGRESS) return failure(Stage::connect, os_error);
  completed = os_error == 0;
  return handle;
}

base::Status finish_connect(int descriptor, Deadline deadline) noexcept {
  CORBEL_CHECK(wait_ready(descriptor, Ready::writable, deadline, Stage::connect));
  int os_error = 0;
  socklen_t size = sizeof os_error;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &os_error, &size) != 0) return last_failure(Stage::connect);
  if (os_error != 0) return failure(Stage::connect, os_error);
  return {};
}

}  // namespace corbel::ipc::detail
