// SPDX-License-Identifier: Apache-2.0
// What the programs with omniORB share.
#pragma once

#include <omniORB4/CORBA.h>
#include <omniORB4/acconfig.h>

#include <stdexcept>
#include <string>
#include <vector>

#ifdef OMNI_PACKAGE_VERSION  // 4.3
#define CORBEL_BENCH_OMNIORB_VERSION OMNI_PACKAGE_VERSION
#else
#define CORBEL_BENCH_OMNIORB_VERSION PACKAGE_VERSION
#endif

namespace omni {

/// omniORB's exceptions as standard ones.
template <class F>
auto translated(F&& f) {
  try {
    return f();
  } catch (const CORBA::SystemException& failure) {
    throw std::runtime_error(std::string(failure._name()) + " " + failure.NP_minorString());
  } catch (const CORBA::Exception& failure) {
    throw std::runtime_error(failure._name());
  }
}

inline CORBA::ORB_var make_orb(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  return CORBA::ORB_init(count, pointers.data());
}

}  // namespace omni
