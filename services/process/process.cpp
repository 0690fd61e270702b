// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <pthread.h>

#include <cstdio>
#include <fstream>
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

void run_until(const sigset_t& signals, CORBA::ORB& orb) {
  std::thread watcher([&] {
    int number = 0;
    sigwait(&signals, &number);
    orb.shutdown(false);
  });
  try {
    orb.run();
  } catch (const CORBA::BAD_INV_ORDER&) {
    // The signal came before run().
  } catch (...) {
    pthread_kill(watcher.native_handle(), SIGTERM);
    watcher.join();
    orb.destroy();
    throw;
  }
  watcher.join();
  orb.destroy();
}

void write_file(const std::string& path, const std::string& text) {
  const std::string draft = path + ".new";
  std::ofstream file(draft);
  file << text;
  file.close();
  if (!file || std::rename(draft.c_str(), path.c_str()) != 0) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace corbel::process
