// SPDX-License-Identifier: Apache-2.0
// The policies that keep calls from sharing connections (Real-time CORBA 1.2, 5.12 and 5.13).
#pragma once

#include "RTCORBA.hpp"

namespace corbel::real_time {

/// Calls share a connection only with those whose priorities are in the same band. Throws BAD_PARAM for no bands, for
/// one that ends before it begins, that is not of priorities or that overlaps with another; IMP_LIMIT for more than 64.
IDL::traits<RTCORBA::PriorityBandedConnectionPolicy>::ref_type make_bands(const RTCORBA::PriorityBands& bands);
/// Calls through a reference share connections only with those through the same one.
IDL::traits<RTCORBA::PrivateConnectionPolicy>::ref_type make_private();

}  // namespace corbel::real_time
