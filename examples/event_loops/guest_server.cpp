// SPDX-License-Identifier: Apache-2.0
// The other way round: the loop is the ORB's, and the application's descriptor and timer are its guests. The descriptor
// is a signalfd, so that SIGTERM ends the server in order.
#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <corbel/corbel.hpp>
#include <corbel/orb/handle_watch.hpp>
#include <corbel/orb/socket_hook.hpp>
#include <corbel/orb/timer.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <iostream>

#include "meter_server.hpp"

namespace {

// The ORB has threads: this one needs an atomic.
class Meter final : public virtual CORBA::servant_traits<Loop::Meter>::base_type {
 public:
  std::int32_t ticks() override { return ticks_; }
  void close() override {}  // this server is ended by a signal
  void tick() { ++ticks_; }

 private:
  std::atomic<std::int32_t> ticks_{0};
};

}  // namespace

int main(int argc, char* argv[]) try {
  sigset_t signals;  // before the ORB has threads, which inherit that it is blocked
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const int asked_to_end = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);

  auto orb = CORBA::ORB_init(argc, argv);
  {
    using namespace corbel::orb;
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    auto meter = CORBA::make_reference<Meter>();
    auto reference = meter->_this();
    poa->the_POAManager()->activate();

    const Timer timer(*orb, std::chrono::milliseconds(10), std::chrono::milliseconds(10), [&] { meter->tick(); });
    const HandleWatch watch(*orb, asked_to_end, corbel::reactor::Events::readable, [&](auto) {
      signalfd_siginfo info;
      if (read(asked_to_end, &info, sizeof info) == sizeof info) orb->shutdown(false);
    });
    const SocketHook hook(*orb, [](const NewSocket& socket) {
      std::cerr << (socket.accepted ? "a client over " : "a server over ") << socket.transport << '\n';
    });

    std::cout << orb->object_to_string(reference) << std::endl;
    orb->run();
  }
  close(asked_to_end);
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& exception) {
  std::cerr << "guest server: " << exception << '\n';
  return 1;
}
