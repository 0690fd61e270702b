// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "support.hpp"
#include "support/fake_peer.hpp"

namespace corbel::async_test {

using test::FakePeer;
namespace answer = test::answer;

/// "done", or the exception's name and status; "CANCELLED" with status if that is it.
inline std::string outcome(const std::function<void()>& get) {
  try {
    get();
    return "done";
  } catch (const CORBA::SystemException& exception) {
    constexpr const char* kStatus[] = {" YES", " NO", " MAYBE"};
    const bool cancelled =
        std::string_view(exception._name()) == "TRANSIENT" && exception.minor() == corba::minor::kRequestCancelled;
    return (cancelled ? "CANCELLED" : exception._name()) +
           std::string(kStatus[static_cast<int>(exception.completed())]);
  }
}

/// A client of servers that are made by hand.
struct Client {
  explicit Client(std::vector<std::string> options = {}) : orb(make_orb("client", std::move(options))) {}
  ~Client() { orb->destroy(); }
  EchoRef to(const FakePeer& peer) const {
    return IDL::traits<Async::Peer>::unchecked_narrow(orb->string_to_object(peer.ior()));
  }
  const OrbRef orb;
};

}  // namespace corbel::async_test
