// SPDX-License-Identifier: Apache-2.0
#pragma once

// As programs for TAOX11 include what is generated: everything else comes with these.
#include <gtest/gtest.h>

#include "shopAmiC.h"
#include "shopC.h"
#include "shopS.h"

/// A server and a client, as far as programs for any ORB have them.
namespace portable {

class Till_i : public virtual CORBA::servant_traits<Shop::Till>::base_type {
 public:
  int32_t sales() override { return sales_; }
  int32_t sell(const std::string& name, std::string& receipt) override {
    if (name.empty()) throw Shop::SoldOut("nothing");
    receipt = "one " + name;
    return ++sales_;
  }

 private:
  int32_t sales_ = 0;
};

/// An ORB with its root adapter, which is active; ended with this.
class World {
 public:
  explicit World(const std::string& id, std::vector<std::string> options = {})
      : orb(CORBA::ORB_init(options, id)),
        root(IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"))) {
    root->the_POAManager()->activate();
  }
  ~World() { orb->destroy(); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  IDL::traits<CORBA::ORB>::ref_type orb;
  IDL::traits<PortableServer::POA>::ref_type root;
};

}  // namespace portable
