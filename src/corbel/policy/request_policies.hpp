// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "corbel/base/deadline.hpp"

namespace corbel::policy {

/// What governs requests that an ORB serves, from other processes and from its own: settled when the ORB is made, so
/// that no request asks for options. A value.
struct RequestPolicies {
  base::Duration hold = std::chrono::seconds(10);  ///< longest wait for a holding POA manager; 0: none
  bool exception_detail = false;                   ///< replies tell about exceptions in words
};

}  // namespace corbel::policy
