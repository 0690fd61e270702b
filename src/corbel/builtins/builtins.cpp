// SPDX-License-Identifier: Apache-2.0
// What ships. To add a message protocol or a transport, add its folder and one line here.
#include "corbel/builtins/builtins.hpp"

#include "corbel/dynamic/codec_factory.hpp"
#include "corbel/dynamic/dyn_any.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "corbel/messaging/giop_lite/giop_lite.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/poa/adapter.hpp"
#include "corbel/transport/inproc/inproc.hpp"
#include "corbel/transport/tcp/tcp.hpp"
#include "corbel/transport/unix/unix.hpp"

namespace corbel::builtins {

orb::Components components() {
  // In-process endpoints are names within the process, so all its ORBs share them.
  static const auto kHub = transport::make_inproc_hub();
  return {
      {
          messaging::make_giop(),
          messaging::make_giop_lite(),
      },
      {
          transport::make_inproc(kHub),
          transport::make_unix(),
          transport::make_tcp(),
      },
      &poa::make_adapter,
      {
          {"CodecFactory", &dynamic::make_codec_factory},
          {"DynAnyFactory", &dynamic::make_dyn_any_factory},
      },
  };
}

}  // namespace corbel::builtins

namespace CORBA {

IDL::traits<ORB>::ref_type ORB_init(int& argc, char** argv, const std::string& id) {
  return corbel::orb::init(argc, argv, id, corbel::builtins::components());
}

IDL::traits<ORB>::ref_type ORB_init(std::vector<std::string>& arguments, const std::string& id) {
  return corbel::orb::init(arguments, id, corbel::builtins::components());
}

}  // namespace CORBA
