// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "corbel/base/fork.hpp"
#include "corbel/orb/orb.hpp"

namespace corbel::orb {

/// The ORBs of this process by id, each kept alive until it is destroyed. The one process-wide object that the
/// specification demands (ORB_init with the same id gives the same ORB). Thread-safe.
class OrbRegistry {
 public:
  using OrbRef = CORBA::object_reference<CORBA::ORB>;

  static OrbRegistry& instance();

  /// The ORB with the id, made by `make` if there is none.
  OrbRef find_or_make(const std::string& id, const std::function<OrbRef()>& make);
  /// Forgets the ORB if it is the one registered under its id.
  void remove(const std::string& id, const CORBA::ORB& orb);

 private:
  OrbRegistry() = default;

  base::ForkMutex mutex_;  // guards orbs_
  std::map<std::string, OrbRef> orbs_;
};

}  // namespace corbel::orb
