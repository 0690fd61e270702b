// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <malloc.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace corbel::process {

sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

void give_back_large_blocks() {
#ifdef __GLIBC__
  if (std::getenv("MALLOC_MMAP_THRESHOLD_") == nullptr) (void)mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

namespace {

[[noreturn]] void end_by(int number) {
  std::signal(number, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  std::raise(number);
  std::_Exit(1);
}

/// Waits for signals on a thread of its own, as long as it lives: the first shuts the ORB down, the second ends the
/// process as if nobody had waited for it.
class Watcher {
 public:
  Watcher(const sigset_t& signals, CORBA::ORB& orb) : thread_([this, &signals, &orb] { watch(signals, orb); }) {}
  ~Watcher() {
    over_ = true;
    pthread_kill(thread_.native_handle(), SIGTERM);
    thread_.join();
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

 private:
  void watch(const sigset_t& signals, CORBA::ORB& orb) {
    int number = 0;
    sigwait(&signals, &number);
    if (over_) return;
    try {
      orb.shutdown(false);
    } catch (const CORBA::SystemException&) {  // it has ended already
    }
    sigwait(&signals, &number);
    if (!over_) end_by(number);
  }

  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace

void run_until(const sigset_t& signals, CORBA::ORB& orb) {
  const Watcher watcher(signals, orb);
  try {
    orb.run();
  } catch (const CORBA::BAD_INV_ORDER&) {
    // The signal came before run().
  } catch (...) {
    orb.destroy();
    throw;
  }
  orb.destroy();
}

void write_file(const std::string& path, const std::string& text) {
  std::error_code absent;
  if (std::filesystem::is_regular_file(path, absent)) {
    std::ifstream there(path);
    if (std::string(std::istreambuf_iterator<char>(there), {}) == text) return;
  }
  const std::string draft = path + ".new";
  std::ofstream file(draft);
  file << text;
  file.close();
  if (file && std::rename(draft.c_str(), path.c_str()) == 0) return;
  const std::string why = std::strerror(errno);
  std::remove(draft.c_str());
  throw std::runtime_error(path + ": cannot be written: " + why);
}

}  // namespace corbel::process
