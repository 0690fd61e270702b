// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/base/fork.hpp"
#include "corbel/ior/group.hpp"

namespace corbel::orb {

/// Which objects of an ORB are in which group. Thread-safe.
class GroupTable {
 public:
  using Keys = std::vector<base::Bytes>;  ///< of objects

  void add(const ior::GroupIdentity& group, const base::Bytes& member);
  void remove(const ior::GroupIdentity& group, const base::Bytes& member);
  /// The members of the group that the body of a UIPMC profile names; null if it is none, or has none.
  std::shared_ptr<const Keys> members(base::ConstByteSpan profile_body);

 private:
  base::ForkMutex mutex_;  // guards what follows
  std::map<std::string, std::shared_ptr<const Keys>, std::less<>> groups_;
};

}  // namespace corbel::orb
