// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <corbel/corbel.hpp>
#include <corbel/orb/components.hpp>

#include "ZIOP.hpp"

/// Compressed GIOP (CORBA 3.3 part 2, ZIOP). An application that wants it makes its ORB so:
///
///   auto components = corbel::builtins::components();
///   corbel::ziop::add_to(components);
///   auto orb = CORBA::ORB_init(argc, argv, "", components);
///
/// or is told to by `-ORBLoad ziop.so`. Its references then say that messages may come compressed, messages to others
/// that say so are compressed, and the initial reference "CompressionManager" takes compressors of the application's.
/// ORBs of programs that do not use this pay nothing. docs/ziop.md is the guide.
namespace corbel::ziop {

/// What holds where no policy says otherwise; options of the ORB override it.
struct Settings {
  /// In order of preference; none: nothing is compressed, and references do not offer it. What comes compressed is read
  /// all the same. -ORBZiop
  Compression::CompressorIdLevelList compressors{Compression::CompressorIdLevel(Compression::COMPRESSORID_ZLIB, 6)};
  std::uint32_t low_value = 1024;  ///< octets: shorter messages are sent as they are. -ORBZiopLowValue
  /// Compressed length to length, at most: what does not come to that is sent as it is. -ORBZiopMinRatio
  float min_ratio = 0.75F;
};

/// The ORBs that are made of these components compress. Throws BAD_PARAM if a ratio is not from 0 to 1.
void add_to(orb::Components& components, const Settings& settings = {});

// Policies of references, threads, ORBs and, in create_POA, of adapters, as ORB::create_policy makes them.

IDL::traits<ZIOP::CompressionEnablingPolicy>::ref_type make_enabling(bool enabled);
IDL::traits<ZIOP::CompressionIdLevelListPolicy>::ref_type make_compressors(Compression::CompressorIdLevelList list);
IDL::traits<ZIOP::CompressionLowValuePolicy>::ref_type make_low_value(std::uint32_t octets);
/// Throws BAD_PARAM if the ratio is not from 0 to 1.
IDL::traits<ZIOP::CompressionMinRatioPolicy>::ref_type make_min_ratio(float ratio);

/// Messages of one kind since the ORB was made.
struct Figures {
  std::uint64_t messages = 0;
  std::uint64_t octets = 0;      ///< as GIOP has them
  std::uint64_t compressed = 0;  ///< on the wire
};
/// What an ORB has compressed and decompressed.
struct Traffic {
  Figures sent;
  Figures received;
  std::uint64_t refused = 0;  ///< compressed messages that made no sense
};
/// Throws BAD_PARAM for an ORB that does not compress.
Traffic traffic(const IDL::traits<CORBA::ORB>::ref_type& orb);

}  // namespace corbel::ziop
