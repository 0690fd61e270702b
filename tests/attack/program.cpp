// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include <signal.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <thread>

namespace attack {
namespace {

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

void block_signals() {
  const sigset_t signals = ending_signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void run_until_signal(const IDL::traits<CORBA::ORB>::ref_type& orb) {
  std::thread watcher([&] {
    const sigset_t signals = ending_signals();
    int number = 0;
    sigwait(&signals, &number);
    orb->shutdown(false);
  });
  try {
    orb->run();
  } catch (const CORBA::BAD_INV_ORDER&) {
    // The signal came first.
  }
  watcher.join();
  orb->destroy();
}

}  // namespace attack

int main(int argc, char** argv) try {
  const std::string part = argc > 1 ? argv[1] : "";
  if (part == "serve") return attack::serve(argc - 1, argv + 1);
  if (part == "honest") return attack::honest(argc - 1, argv + 1);
  if (part == "ledger") return attack::ledger(argc - 1, argv + 1);
  if (part == "clients") return attack::clients(argc - 1, argv + 1);
  std::cerr << "usage: corbel_attack serve|honest|ledger|clients ARGUMENTS (started by tests/attack/attack.py)\n";
  return 2;
} catch (const CORBA::Exception& exception) {
  std::cerr << argv[1] << ": " << exception << '\n';
  return 1;
}
