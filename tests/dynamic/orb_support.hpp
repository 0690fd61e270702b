// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "corbel/corbel.hpp"

namespace corbel::dynamic {

/// An ORB for each test.
class WithOrb : public ::testing::Test {
 protected:
  ~WithOrb() override { orb_->destroy(); }

  template <class I>
  typename IDL::traits<I>::ref_type initial(const std::string& name) {
    return IDL::traits<I>::narrow(orb_->resolve_initial_references(name));
  }

  std::vector<std::string> arguments_;
  IDL::traits<CORBA::ORB>::ref_type orb_ = CORBA::ORB_init(arguments_, "dynamic");
};

}  // namespace corbel::dynamic
