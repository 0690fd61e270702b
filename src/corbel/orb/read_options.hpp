// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "corbel/base/function_ref.hpp"
#include "corbel/base/option_rows.hpp"
#include "corbel/orb/option_list.hpp"
#include "corbel/orb/options.hpp"
#include "corbel/routing/route.hpp"

namespace corbel::orb {

/// What brings options to an ORB.
struct WithOptions {
  // NOLINTNEXTLINE(google-explicit-constructor): most have nothing but transports
  WithOptions(std::vector<routing::FactoryPtr> all, std::vector<LayerPtr> over = {})
      : transports(std::move(all)), layers(std::move(over)) {}
  std::vector<routing::FactoryPtr> transports;
  std::vector<LayerPtr> layers;
};
/// A plug-in that is to be loaded.
struct PluginFile {
  std::string file;
  std::string where;  ///< of the line of a configuration file that names it: "plant.conf:3: "; else empty
};
/// Loads these plug-ins, and returns the transports and layers of the ORB, those that the plug-ins bring included.
using PartsWith = base::FunctionRef<WithOptions(const std::vector<PluginFile>& plugins)>;

/// Takes options from the files that -ORBConfigFile names, then from the environment, then from `arguments`; what comes
/// later wins. Removes from `arguments` what it took:
/// `-ORBName value` and `-ORBName=value`, `-ORBidNAME` and `-ORBNoProprietaryActivation` (CORBA 3.3 part 1, 8.5.1),
/// anywhere; an argument `--` ends the search. Plug-ins are loaded before any
/// other option is looked at: they bring options. Throws BAD_PARAM naming an unknown option (and its nearest known one)
/// or saying which values are legal; INITIALIZE with the help text as detail for -ORBHelp.
Options read_options(std::vector<std::string>& arguments, PartsWith parts);
/// As above for main's arguments.
Options read_options(int& argc, char** argv, PartsWith parts);

/// Sets the options of a transport or layer as the ORB was told, and those of which it was told nothing as the
/// environment says. Throws as above.
void set_given(std::span<const base::Option> options, const Options& told);

}  // namespace corbel::orb
