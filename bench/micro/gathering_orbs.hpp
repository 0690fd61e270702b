// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <corbel/corbel.hpp>

#include <string>
#include <vector>

#include "gather_server.hpp"

namespace bench {

/// Two ORBs of this process, a local socket between them: the client's connections gather from `threshold` octets on.
class GatheringOrbs {
 public:
  explicit GatheringOrbs(const std::string& threshold) {
    std::vector<std::string> listen{"-ORBListenEndpoints", "unix://"};
    server_ = CORBA::ORB_init(listen, "server " + threshold);
    auto poa = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    const std::string reference = server_->object_to_string(poa->servant_to_reference(CORBA::make_reference<Sink>()));
    std::vector<std::string> gather{"-ORBGatherThreshold", threshold};
    client_ = CORBA::ORB_init(gather, "client " + threshold);
    sink_ = IDL::traits<Gather::Sink>::narrow(client_->string_to_object(reference));
  }
  ~GatheringOrbs() {
    client_->destroy();
    server_->destroy();
  }
  GatheringOrbs(const GatheringOrbs&) = delete;
  GatheringOrbs& operator=(const GatheringOrbs&) = delete;

  void put(const Gather::Octets& data) const { sink_->put(data); }

 private:
  struct Sink final : CORBA::servant_traits<Gather::Sink>::base_type {
    void put(const Gather::Octets&) override {}
  };

  IDL::traits<CORBA::ORB>::ref_type server_;
  IDL::traits<CORBA::ORB>::ref_type client_;
  IDL::traits<Gather::Sink>::ref_type sink_;
};

}  // namespace bench
