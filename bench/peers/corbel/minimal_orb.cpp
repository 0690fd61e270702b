// SPDX-License-Identifier: Apache-2.0
// The ORB of a program of one message protocol and one transport: linked before the static library, this ORB_init takes
// the place of the one that lists all that ships, and nothing of that is linked.
#include <corbel/messaging/giop/giop.hpp>
#include <corbel/orb/components.hpp>
#include <corbel/orb/orb.hpp>
#include <corbel/poa/adapter.hpp>
#include <corbel/transport/tcp/tcp.hpp>

namespace CORBA {

IDL::traits<ORB>::ref_type ORB_init(std::vector<std::string>& arguments, const std::string& id) {
  const corbel::orb::Components parts{
      {corbel::messaging::make_giop()}, {corbel::transport::make_tcp()}, &corbel::poa::make_adapter};
  return corbel::orb::init(arguments, id, parts);
}

}  // namespace CORBA
