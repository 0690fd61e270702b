// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "async/support.hpp"
#include "corbel/corba/pollable.hpp"

/// The world of tests/async, whose calls are polled here.
namespace corbel::polling_test {

using async_test::make_orb;
using async_test::OrbRef;
using async_test::PoaRef;
using async_test::World;

using Poller = IDL::traits<Async::AMI_PeerPoller>::ref_type;
using Pollable = IDL::traits<CORBA::Pollable>::ref_type;
using PollableSet = IDL::traits<CORBA::PollableSet>::ref_type;

constexpr std::uint32_t kForEver = 0xffffffff;
/// Long enough for every machine, short enough to fail before the test's own time is over.
constexpr std::uint32_t kPatience = 100'000;

/// Another server, for a client that has connections to two.
struct OtherServer {
  explicit OtherServer(const std::string& endpoint) : orb(make_orb("other server", {"-ORBListenEndpoints", endpoint})) {
    const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
    ior = orb->object_to_string(root->servant_to_reference(servant));
  }
  ~OtherServer() {
    servant->release();
    orb->destroy();
  }
  /// As that client sees it.
  async_test::EchoRef seen_by(const World& world) const {
    return IDL::traits<Async::Peer>::unchecked_narrow(world.client->string_to_object(ior));
  }

  OrbRef orb;
  CORBA::servant_reference<async_test::EchoServant> servant = CORBA::make_reference<async_test::EchoServant>();
  std::string ior;
};

/// The minor code of the E that `call` throws, OMG's; fails if it throws none.
template <class E, class F>
std::uint32_t minor_of(F&& call) {
  try {
    call();
  } catch (const E& exception) {
    return exception.minor() & 0xfff;
  } catch (const CORBA::Exception& other) {
    ADD_FAILURE() << "threw " << other._rep_id();
    return 0xffff;
  }
  ADD_FAILURE() << "threw nothing";
  return 0xffff;
}

}  // namespace corbel::polling_test
