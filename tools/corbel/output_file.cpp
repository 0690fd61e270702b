// SPDX-License-Identifier: Apache-2.0
#include "output_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <utility>

#include "relay.hpp"

namespace corbel::tool {
namespace {

constexpr std::chrono::milliseconds kTurn{50};

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  open();
  struct stat about {};
  if (::fstat(file_.get(), &about) != 0 || !S_ISREG(about.st_mode)) return;
  // What another one writes must not be emptied. Where a file system has no locks, it is as it was without them.
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) refuse("another command is writing it");
  if (::ftruncate(file_.get(), 0) != 0) refuse(std::strerror(errno));
}

/// A FIFO that nobody reads is waited for in turns: open() would not wake by signals that are blocked.
void OutputFile::open() {
  for (bool told = false;; told = true) {
    file_.reset(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666));
    if (file_) return;
    if (errno == EINTR) continue;
    if (errno != ENXIO) refuse(std::strerror(errno));
    struct stat about {};
    if (::stat(path_.c_str(), &about) != 0 || !S_ISFIFO(about.st_mode)) refuse(std::strerror(ENXIO));
    if (!told) std::cerr << "corbel: " << path_ << " is a FIFO: waits until somebody reads it\n";
    if (end_comes_within(kTurn)) refuse("nobody has read this FIFO");
  }
}

void OutputFile::refuse(const std::string& why) const {
  throw std::runtime_error("cannot write " + path_ + ": " + why);
}

bool OutputFile::write(std::string_view octets) {
  std::size_t written = 0;
  while (!failed_ && written < octets.size()) {
    const auto count = ::write(file_.get(), octets.data() + written, octets.size() - written);
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      failed_ = end_came();
      if (!failed_) (void)ipc::wait_ready(file_.get(), ipc::Ready::writable, base::Deadline::after(kTurn), {});
    } else {
      failed_ = errno != EINTR;
    }
    // Readers are spared half a line, or half a packet. What is no file cannot be cut, and need not be.
    if (failed_ && ::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) return false;
  }
  if (!failed_) size_ += octets.size();
  return !failed_;
}

void write_line_to(const std::string& path, const std::string& text) {
  if (!OutputFile(path).write(text + "\n")) throw std::runtime_error("cannot write " + path);
}

}  // namespace corbel::tool
