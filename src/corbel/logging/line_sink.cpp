// SPDX-License-Identifier: Apache-2.0
// Lines to a descriptor.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "corbel/base/patient_lock.hpp"
#include "corbel/logging/sinks.hpp"

namespace corbel::logging {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// write(2) into a pipe or terminal that may have been closed: the signal that would end the process is taken back.
ssize_t write_without_signal(int descriptor, const char* octets, std::size_t size) noexcept {
  sigset_t pipe_signal, before, pending;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  sigpending(&pending);
  if (sigismember(&pending, SIGPIPE) == 1) return ::write(descriptor, octets, size);  // one more makes no difference
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t written = ::write(descriptor, octets, size);
  const int error = errno;
  if (written < 0 && error == EPIPE) {
    const timespec at_once{};
    (void)sigtimedwait(&pipe_signal, nullptr, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

/// One write that does not wait for a reader: -1 if it would have to.
ssize_t write_at_once(int descriptor, const char* octets, std::size_t size) noexcept {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return -1;
  if (S_ISREG(status.st_mode)) return ::write(descriptor, octets, size);
  if (S_ISSOCK(status.st_mode)) return ::send(descriptor, octets, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  // A line is shorter than what a pipe has room for when it says that it has some.
  static_assert(base::kLongestLogLine + 2 <= PIPE_BUF);
  pollfd ready{descriptor, POLLOUT, 0};
  if (::poll(&ready, 1, 0) != 1) {
    errno = EAGAIN;
    return -1;
  }
  return write_without_signal(descriptor, octets, size);
}

int open_file(const std::string& path) noexcept {
  // Not blocking: a named pipe without a reader is an error, not a reason to wait.
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0640);
}

class LineSink final : public base::LogSink {
 public:
  /// `path`: empty if the descriptor is all there is.
  LineSink(int descriptor, ipc::Handle owned, std::string path, Format format) noexcept
      : descriptor_(descriptor), owned_(std::move(owned)), path_(std::move(path)), format_(format) {}

  void write(const base::LogRecord& record) override {
    const auto lock = base::lock_patiently(mutex_, kPatience);
    if (!lock.owns_lock()) {
      lost_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    if (!path_.empty()) follow_file(record.time / kSecond);
    if (const std::uint64_t lost = lost_.exchange(0, std::memory_order_relaxed); lost != 0) {
      const base::LogField fields[] = {{"records", lost}};
      base::LogRecord confession = record;
      confession.level = base::LogLevel::warning;
      confession.module = base::LogModule::orb;
      confession.event = "records could not be written";
      confession.fields = fields;
      if (!put(confession)) lost_.fetch_add(lost, std::memory_order_relaxed);
    }
    if (!put(record)) lost_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  bool put(const base::LogRecord& record) noexcept {
    char room[1 + base::kLongestLogLine + 1];
    const std::span<char, base::kLongestLogLine> line(room + 1, base::kLongestLogLine);
    std::size_t size =
        format_ == Format::json ? base::format_log_json(record, line) : base::format_log_text(record, true, line);
    room[0] = '\n';
    room[1 + size++] = '\n';
    const char* begin = room + (torn_ ? 0 : 1);
    size += torn_ ? 1 : 0;
    ssize_t written = 0;
    do {
      written = write_at_once(descriptor_, begin, size);
    } while (written < 0 && errno == EINTR);
    if (written < 0) return false;
    torn_ = static_cast<std::size_t>(written) != size;
    return !torn_;
  }

  /// At most once a second: the path may mean another file by now.
  void follow_file(std::int64_t second) noexcept {
    if (second == looked_) return;
    looked_ = second;
    struct stat open {};
    struct stat named {};
    if (::fstat(descriptor_, &open) == 0 && ::stat(path_.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
        open.st_ino == named.st_ino) {
      return;
    }
    ipc::Handle fresh(open_file(path_));
    if (!fresh) return;  // better the old one than none
    owned_ = std::move(fresh);
    descriptor_ = owned_.get();
    torn_ = false;
  }

  base::Mutex mutex_;  // guards what follows, and keeps lines whole where the system does not
  int descriptor_;
  ipc::Handle owned_;
  const std::string path_;
  const Format format_;
  bool torn_ = false;  // the last line has no end
  std::int64_t looked_ = 0;
  std::atomic<std::uint64_t> lost_{0};
};

}  // namespace

SinkPtr to_standard_error(Format format) {
  return std::make_shared<LineSink>(STDERR_FILENO, ipc::Handle(), std::string(), format);
}

SinkPtr to_descriptor(ipc::Handle descriptor, Format format) {
  const int number = descriptor.get();
  return std::make_shared<LineSink>(number, std::move(descriptor), std::string(), format);
}

base::Result<SinkPtr> to_file(const std::string& path, Format format) {
  ipc::Handle file(open_file(path));
  if (!file) return base::error(base::Stage::configure, base::Code::refused, errno);
  const int number = file.get();
  return SinkPtr(std::make_shared<LineSink>(number, std::move(file), path, format));
}

}  // namespace corbel::logging
