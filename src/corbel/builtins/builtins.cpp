// SPDX-License-Identifier: Apache-2.0
// What ships. To add a message protocol, add its folder and its line here. The transports are listed in CMakeLists.txt.
#include "corbel/builtins/builtins.hpp"

#include "corbel/builtins/shipped_transports.hpp"
#include "corbel/dynamic/codec_factory.hpp"
#include "corbel/dynamic/dyn_any.hpp"
#include "corbel/interceptors/initialisation.hpp"
#include "corbel/interceptors/slots.hpp"
#include "corbel/messaging/frames/frames.hpp"
#include "corbel/messaging/giop/giop.hpp"
#include "corbel/messaging/giop_lite/giop_lite.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/poa/adapter.hpp"

namespace corbel::builtins {

orb::Components components() {
  return {
      {
          messaging::make_giop(),
          messaging::make_giop_lite(),
          messaging::make_frames(),
      },
      shipped_transports(),
      &poa::make_adapter,
      {
          {"CodecFactory", &dynamic::make_codec_factory},
          {"DynAnyFactory", &dynamic::make_dyn_any_factory},
          {"PICurrent", &interceptors::make_current},
      },
      &interceptors::initialise,
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
