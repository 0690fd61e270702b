// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/corbel.hpp"
#include "corbel/ipc/handle.hpp"
#include "corbel/orb/work_handle.hpp"
#include "loops_server.hpp"

/// ORBs that are guests of a loop which knows nothing but their descriptors, and their peers.
namespace corbel::loops_test {

using base::Deadline;
using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using PeerRef = IDL::traits<Loops::Peer>::ref_type;

inline const auto kPatience = std::chrono::seconds(30);

inline OrbRef make_orb(const std::string& id, std::vector<std::string> options = {}) {
  options.insert(options.begin(), id);
  options.insert(options.end(), {"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  return CORBA::ORB_init(options, id);
}
inline OrbRef make_guest(const std::string& id, std::vector<std::string> options = {}) {
  options.insert(options.end(), {"-ORBConcurrency", "single"});
  return make_orb(id, std::move(options));
}

/// What the operations do can be replaced.
class Servant : public virtual CORBA::servant_traits<Loops::Peer>::base_type {
 public:
  std::int32_t echo(std::int32_t number) override {
    served_.fetch_add(1);
    return on_echo ? on_echo(number) : number;
  }
  std::int32_t ask(PeerRef other, std::int32_t number) override {
    return on_ask ? on_ask(other, number) : other->echo(number);
  }
  std::int32_t bounce(PeerRef other, std::int32_t depth) override {
    return on_bounce ? on_bounce(other, depth) : depth == 0 ? 0 : 1 + other->bounce(_this(), depth - 1);
  }
  std::string fill(std::uint32_t size) override { return std::string(size, 'x'); }
  void note(std::int32_t number) override {
    if (on_note) on_note(number);
  }
  void end() override {
    if (on_end) on_end();
  }
  int served() const { return served_; }

  std::function<std::int32_t(std::int32_t)> on_echo;
  std::function<std::int32_t(PeerRef, std::int32_t)> on_ask;
  std::function<std::int32_t(PeerRef, std::int32_t)> on_bounce;
  std::function<void(std::int32_t)> on_note;
  std::function<void()> on_end;

 private:
  std::atomic<int> served_{0};
};

/// An ORB with one servant.
struct Party {
  explicit Party(OrbRef made) : orb(std::move(made)) {
    auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    servant = CORBA::make_reference<Servant>();
    root->activate_object(servant);
    reference = IDL::traits<Loops::Peer>::narrow(root->servant_to_reference(servant));
    root->the_POAManager()->activate();
    ior = orb->object_to_string(reference);
  }
  /// The other one's object, as seen from here.
  PeerRef see(const Party& other) const {
    return IDL::traits<Loops::Peer>::unchecked_narrow(orb->string_to_object(other.ior));
  }

  OrbRef orb;
  CORBA::servant_reference<Servant> servant;
  PeerRef reference;
  std::string ior;
};

inline bool readable(const orb::WorkHandle& work, Deadline deadline = Deadline::now()) {
  return static_cast<bool>(ipc::wait_ready(work.descriptor(), ipc::Ready::readable, deadline, base::Stage::wait));
}
/// The application's loop: it waits for the descriptor alone, until `done`.
inline void loop_until(orb::WorkHandle& work, const std::function<bool()>& done) {
  while (!done()) {
    ASSERT_TRUE(readable(work, Deadline::after(kPatience))) << "nobody told the loop";
    (void)work.dispatch();
  }
}
/// The same, while another thread does something; its end is the loop's second descriptor.
template <class Act>
auto loop_while(orb::WorkHandle& work, Act act) {
  const ipc::Handle ended(::eventfd(0, EFD_CLOEXEC));
  auto result = std::async(std::launch::async, [&] {
    struct Tell {
      int handle;
      ~Tell() { (void)::eventfd_write(handle, 1); }
    } const tell{ended.get()};
    return act();
  });
  for (;;) {
    pollfd waits[] = {{work.descriptor(), POLLIN, 0}, {ended.get(), POLLIN, 0}};
    if (::poll(waits, 2, 30'000) == 0) ADD_FAILURE() << "nobody told the loop";
    if (waits[0].revents != 0) (void)work.dispatch();
    if (waits[1].revents != 0) return result.get();
  }
}
/// Until no cause is left, false ones included.
inline void settle(orb::WorkHandle& work) {
  while (readable(work)) (void)work.dispatch();
}

/// The minor code of what `act` throws, 0 if it is nothing or another exception.
template <class Exception, class Act>
std::uint32_t minor_of(const Act& act) {
  try {
    act();
  } catch (const Exception& exception) {
    return exception.minor();
  } catch (const CORBA::Exception& exception) {
    ADD_FAILURE() << exception;
  }
  return 0;
}

inline constexpr std::uint32_t kBadArgument = corba::vendor_minor(base::Stage::configure, base::Code::bad_argument);
inline constexpr std::uint32_t kWrongOrder = corba::vendor_minor(base::Stage::configure, base::Code::cancelled);

}  // namespace corbel::loops_test
