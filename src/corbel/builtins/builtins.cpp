// SPDX-License-Identifier: Apache-2.0
// What ships. Message protocols and transports are listed in CMakeLists.txt.
#include "corbel/builtins/builtins.hpp"

#include "corbel/builtins/shipped.hpp"
#include "corbel/dynamic/codec_factory.hpp"
#include "corbel/dynamic/dyn_any.hpp"
#include "corbel/dynamic/type_factory.hpp"
#include "corbel/interceptors/initialisation.hpp"
#include "corbel/interceptors/slots.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/poa/adapter.hpp"

namespace corbel::builtins {

orb::Components components() {
  return {
      shipped_protocols(),
      shipped_transports(),
      &poa::make_adapter,
      {
          {"CodecFactory", &dynamic::make_codec_factory},
          {"DynAnyFactory", &dynamic::make_dyn_any_factory},
          {"TypeCodeFactory", &dynamic::make_type_code_factory},
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
