// SPDX-License-Identifier: Apache-2.0
// Between what knows RTCORBA.hpp and what knows portable interceptors, which no source can both.
#pragma once

#include <memory>

#include <corbel/corbel.hpp>

#include "priorities.hpp"
#include "wire.hpp"

namespace corbel::real_time {

/// What a PriorityModelPolicy is, too.
class HasModel {
 public:
  virtual ~HasModel() = default;
  virtual Model model() const noexcept = 0;
};

/// RTCORBA::RTORB and RTCORBA::Current.
IDL::traits<CORBA::Object>::ref_type make_rtorb(std::shared_ptr<Priorities> priorities);
IDL::traits<CORBA::Object>::ref_type make_current(std::shared_ptr<Priorities> priorities);

}  // namespace corbel::real_time
