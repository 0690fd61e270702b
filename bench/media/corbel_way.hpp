// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <corbel/corbel.hpp>
#include <memory>
#include <string>

#include "media/way.hpp"

namespace media {

using Orb = IDL::traits<CORBA::ORB>::ref_type;

/// The group of the demonstration; the port makes it ours.
inline std::string group_url(const std::string& port) {
  return "corbaloc:miop:1.0@1.0-CorbelMedia-1/239.255.77.12:" + port;
}

/// An ORB with -ORB options.
Orb make_orb(const std::string& id, std::vector<std::string> options);

/// By the operations of the screen that the reference names, from an ORB of its own: nothing in here knows of frames,
/// but for when they were captured, and what is reported of them.
std::unique_ptr<Way> make_corbel_way(const std::string& reference);

/// The receiving process: says "NAME REFERENCE" or "plain TRANSPORT ADDRESS" for each way, then "ready"; ends with its
/// input. `file`: as for Content.
int receiver_main(const std::string& file);

}  // namespace media
