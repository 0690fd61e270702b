// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/uring.hpp"

#include <linux/io_uring.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "corbel/base/thread_value.hpp"
#include "corbel/ipc/opening.hpp"
#include "corbel/ipc/transfer.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using detail::UringOperation;

/// How often this process is a fork of one that used rings: a child must not touch its parent's.
std::atomic<unsigned> forks{0};

class Mapping {
 public:
  Mapping() noexcept = default;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { unmap(); }

  bool map(int descriptor, std::size_t size, off_t offset) noexcept {
    memory_ = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, offset);
    size_ = size;
    return memory_ != MAP_FAILED;
  }
  void unmap() noexcept {
    if (memory_ != MAP_FAILED) ::munmap(memory_, size_);
    memory_ = MAP_FAILED;
  }
  template <class T>
  T* at(std::size_t offset) const noexcept {
    return reinterpret_cast<T*>(static_cast<char*>(memory_) + offset);
  }

 private:
  void* memory_ = MAP_FAILED;
  std::size_t size_ = 0;
};

/// The submission and completion queues of one thread. At most two entries are under way: an operation and its
/// time-out.
class ThreadRing {
 public:
  base::Status open() noexcept {
    const unsigned now = forks.load(std::memory_order_relaxed);
    if (handle_ && generation_ == now) return {};
    close();
    generation_ = now;
    io_uring_params parameters{};
    handle_.reset(static_cast<int>(::syscall(SYS_io_uring_setup, kEntries, &parameters)));
    if (!handle_) return base::error(Stage::configure, Code::unsupported, errno);
    if ((parameters.features & IORING_FEAT_SINGLE_MMAP) == 0 || (parameters.features & IORING_FEAT_NODROP) == 0) {
      close();
      return base::error(Stage::configure, Code::unsupported, ENOSYS);  // before Linux 5.5
    }
    const std::size_t submissions = parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned);
    const std::size_t completions = parameters.cq_off.cqes + parameters.cq_entries * sizeof(io_uring_cqe);
    if (!queues_.map(handle_.get(), std::max(submissions, completions), IORING_OFF_SQ_RING) ||
        !entries_.map(handle_.get(), parameters.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES)) {
      const base::Error error = last_failure(Stage::configure);
      close();
      return error;
    }
    submission_ = parameters.sq_off;
    completion_ = parameters.cq_off;
    return {};
  }

  void push(const io_uring_sqe& entry) noexcept {
    auto* const tail = queues_.at<unsigned>(submission_.tail);
    const unsigned index = *tail & *queues_.at<unsigned>(submission_.ring_mask);
    entries_.at<io_uring_sqe>(0)[index] = entry;
    queues_.at<unsigned>(submission_.array)[index] = index;
    std::atomic_ref<unsigned>(*tail).store(*tail + 1, std::memory_order_release);
  }

  /// Submits `count` entries, waits for as many completions and returns the result of entry 0.
  int run(unsigned count) noexcept {
    unsigned to_submit = count;
    int result = 0;
    for (unsigned completed = 0; completed < count;) {
      const long submitted = ::syscall(SYS_io_uring_enter, handle_.get(), to_submit, count - completed,
                                       IORING_ENTER_GETEVENTS, nullptr, 0);
      if (submitted > 0) to_submit -= static_cast<unsigned>(submitted);
      if (submitted < 0 && errno != EINTR && errno != EAGAIN && errno != EBUSY) {
        const int os_error = errno;
        close();  // nothing was taken, or that cannot be known: start afresh next time
        return -os_error;
      }
      completed += reap(result);
    }
    return result;
  }

 private:
  static constexpr unsigned kEntries = 4;

  unsigned reap(int& result) noexcept {
    auto* const head = queues_.at<unsigned>(completion_.head);
    const unsigned tail =
        std::atomic_ref<unsigned>(*queues_.at<unsigned>(completion_.tail)).load(std::memory_order_acquire);
    const unsigned mask = *queues_.at<unsigned>(completion_.ring_mask);
    unsigned count = 0;
    for (unsigned at = *head; at != tail; ++at, ++count) {
      const io_uring_cqe& completion = queues_.at<io_uring_cqe>(completion_.cqes)[at & mask];
      if (completion.user_data == 0) result = completion.res;
    }
    std::atomic_ref<unsigned>(*head).store(tail, std::memory_order_release);
    return count;
  }

  void close() noexcept {
    queues_.unmap();
    entries_.unmap();
    handle_.reset();
  }

  Handle handle_;
  Mapping queues_;
  Mapping entries_;
  io_sqring_offsets submission_{};
  io_cqring_offsets completion_{};
  unsigned generation_ = 0;
};

ThreadRing& ring() noexcept {
  static const int kRegistered =
      ::pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
  (void)kRegistered;
  return base::ThreadValue<ThreadRing>::here();
}

std::uint64_t number(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

UringOperation operation(int opcode, int descriptor, const void* address, std::size_t length, std::uint32_t flags,
                         std::uint64_t offset = 0) noexcept {
  constexpr std::size_t kMost = 0x7fff'f000;  // as much as Linux moves in one call
  return {static_cast<std::uint8_t>(opcode),
          descriptor,
          address,
          static_cast<std::uint32_t>(std::min(length, kMost)),
          offset,
          flags};
}

/// The result of one try: octets, a descriptor, or a negative errno.
base::Result<int> try_once(const UringOperation& operation, Deadline deadline) noexcept {
  ThreadRing& own = ring();
  CORBEL_CHECK(own.open());
  io_uring_sqe entry{};
  entry.opcode = operation.opcode;
  entry.fd = operation.descriptor;
  entry.addr = number(operation.address);
  entry.len = operation.length;
  entry.off = operation.offset;
  entry.msg_flags = operation.flags;
  if (deadline.is_none()) {
    own.push(entry);
    return own.run(1);
  }
  const std::int64_t left = deadline.remaining().count();
  const __kernel_timespec timeout{.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
  entry.flags = IOSQE_IO_LINK;
  own.push(entry);
  io_uring_sqe limit{};
  limit.opcode = IORING_OP_LINK_TIMEOUT;
  limit.fd = -1;
  limit.addr = number(&timeout);
  limit.len = 1;
  limit.user_data = 1;
  own.push(limit);
  return own.run(2);
}

}  // namespace

base::Status uring_available() noexcept {
  return ring().open();
}

namespace detail {

UringOperation uring_send(int descriptor, base::ConstByteSpan data) noexcept {
  return operation(IORING_OP_SEND, descriptor, data.data(), data.size(), MSG_NOSIGNAL);
}
UringOperation uring_recv(int descriptor, base::ByteSpan room) noexcept {
  return operation(IORING_OP_RECV, descriptor, room.data(), room.size(), 0);
}
UringOperation uring_sendv(int descriptor, const msghdr& message) noexcept {
  return operation(IORING_OP_SENDMSG, descriptor, &message, 1, MSG_NOSIGNAL);
}
UringOperation uring_recvv(int descriptor, msghdr& message) noexcept {
  return operation(IORING_OP_RECVMSG, descriptor, &message, 1, 0);
}
UringOperation uring_poll(int descriptor, Ready ready) noexcept {
  return operation(IORING_OP_POLL_ADD, descriptor, nullptr, 0, static_cast<std::uint32_t>(ready));
}

base::Result<std::size_t> perform(const UringOperation& operation, Deadline deadline, Stage stage) noexcept {
  for (;;) {
    CORBEL_TRY(const int result, try_once(operation, deadline));
    if (result >= 0) return static_cast<std::size_t>(result);
    if (result == -ECANCELED && !deadline.is_none()) {
      return base::error(stage, deadline.is_now() ? Code::would_block : Code::timed_out);
    }
    if (result != -EINTR) return failure(stage, -result);
    if (deadline.expired()) return base::error(stage, deadline.is_now() ? Code::would_block : Code::timed_out);
  }
}

base::Status uring_send_n(int descriptor, std::span<ConstIoVector> list, Deadline deadline,
                          std::size_t* sent) noexcept {
  return transfer_all<false>(
      list, sent,
      [&](std::span<ConstIoVector> left) {
        msghdr message{};
        message.msg_iov = left.data();
        message.msg_iovlen = std::min(left.size(), kMaxVectors);
        return left.size() == 1
                   ? perform(uring_send(descriptor, {left[0].data(), left[0].size()}), deadline, Stage::send)
                   : perform(uring_sendv(descriptor, message), deadline, Stage::send);
      },
      [](const base::Error& error) { return base::Status(error); });
}

base::Status uring_recv_n(int descriptor, std::span<IoVector> list, Deadline deadline, std::size_t* received) noexcept {
  return transfer_all<true>(
      list, received,
      [&](std::span<IoVector> left) {
        msghdr message{};
        message.msg_iov = left.data();
        message.msg_iovlen = std::min(left.size(), kMaxVectors);
        return left.size() == 1
                   ? perform(uring_recv(descriptor, {left[0].data(), left[0].size()}), deadline, Stage::receive)
                   : perform(uring_recvv(descriptor, message), deadline, Stage::receive);
      },
      [](const base::Error& error) { return base::Status(error); });
}

base::Result<Handle> uring_accept(int descriptor, Deadline deadline) noexcept {
  for (;;) {
    auto accepted = perform(operation(IORING_OP_ACCEPT, descriptor, nullptr, 0, SOCK_CLOEXEC), deadline, Stage::accept);
    if (accepted) return Handle(static_cast<int>(*accepted));
    const base::Error& error = accepted.error();
    if (error.stage != Stage::accept || !concerns_one_connection(error.os_error)) return error;
  }
}

base::Result<Handle> uring_connect(const ConnectParameters& parameters, Deadline deadline) noexcept {
  CORBEL_CHECK(uring_available());
  CORBEL_TRY(Handle handle, prepare_connect(parameters, 0));
  auto connected = perform(operation(IORING_OP_CONNECT, handle.get(), parameters.remote, 0, 0, parameters.remote_size),
                           deadline, Stage::connect);
  if (!connected) return connected.error();
  return handle;
}

}  // namespace detail
}  // namespace corbel::ipc
