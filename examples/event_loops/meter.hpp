// SPDX-License-Identifier: Apache-2.0
// What all servers here share: an ORB without threads, and a servant that needs no lock, because requests and the timer
// come one after the other on the thread of the loop.
#pragma once

#include <corbel/corbel.hpp>
#include <corbel/orb/work_handle.hpp>

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "meter_server.hpp"

constexpr int kTickMilliseconds = 10;

class Meter final : public virtual CORBA::servant_traits<Loop::Meter>::base_type {
 public:
  explicit Meter(IDL::traits<CORBA::ORB>::ref_type orb) : orb_(std::move(orb)) {}

  std::int32_t ticks() override { return ticks_; }
  void close() override { orb_->shutdown(false); }
  void tick() { ++ticks_; }

 private:
  IDL::traits<CORBA::ORB>::ref_type orb_;
  std::int32_t ticks_ = 0;
};

/// The ORB, its servant, and the descriptor for the loop.
struct Station {
  Station(int argc, char* argv[]) : orb(make(argc, argv)), meter(CORBA::make_reference<Meter>(orb)), work(*orb) {
    auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    auto reference = meter->_this();
    poa->the_POAManager()->activate();
    std::cout << orb->object_to_string(reference) << std::endl;
  }
  ~Station() { orb->destroy(); }
  Station(const Station&) = delete;
  Station& operator=(const Station&) = delete;

  static IDL::traits<CORBA::ORB>::ref_type make(int argc, char* argv[]) {
    std::vector<std::string> arguments(argv, argv + argc);
    arguments.insert(arguments.end(), {"-ORBConcurrency", "single"});
    return CORBA::ORB_init(arguments);
  }

  IDL::traits<CORBA::ORB>::ref_type orb;
  CORBA::servant_reference<Meter> meter;
  corbel::orb::WorkHandle work;
};
