// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/bytes.hpp"
#include "corbel/base/export.hpp"
#include "corbel/base/result.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/ior/tagged.hpp"

namespace corbel::ior {

/// Profile tags (CORBA 3.3 part 2, 7.6.2; OMG tag registry).
enum class ProfileTag : std::uint32_t {
  internet_iop = 0,
  multiple_components = 1,
  uipmc = 3,            ///< a group, by multicast (ior/group.hpp)
  diop = 0x54414f04,    ///< GIOP over UDP, as TAO writes it; the body is that of IIOP
  uiop = 0x54414f00,    ///< GIOP over UNIX-domain stream sockets, as TAO writes it
  corbel = 0x43424c00,  ///< any message protocol over any transport, named in the body (ior/profile.hpp)
};

/// Component tags (7.6.4).
enum class ComponentTag : std::uint32_t {
  orb_type = 0,
  code_sets = 1,
  policies = 2,
  alternate_iiop_address = 3,
  ssl_sec_trans = 20,
  group = 39,                       ///< PortableGroup::TagGroupTaggedComponent
  group_iiop = 40,                  ///< the body of an IIOP profile by which the group can be called with replies
  omniorb_unix_trans = 0x41545402,  ///< string host, string path
  bandwidths = 0x43424c01,          ///< Corbel's own: what endpoints of the profile promise (ior/profile.hpp)
};

/// Our value for TAG_ORB_TYPE ("CBL\0").
inline constexpr std::uint32_t kOrbType = 0x43424c00;

/// GIOP or IIOP version.
struct Version {
  std::uint8_t major = 1;
  std::uint8_t minor = 2;
  friend auto operator<=>(const Version&, const Version&) = default;
};

/// An object reference as plain data (IOP::IOR, 7.6.2). Profiles with unknown tags are kept octet for octet.
struct Ior {
  std::string type_id;
  std::vector<TaggedProfile> profiles;

  bool is_nil() const noexcept { return profiles.empty() && type_id.empty(); }
  friend bool operator==(const Ior&, const Ior&) = default;
};

/// Reads/writes the CDR form. A failure sticks to the coder.
CORBEL_API void encode(cdr::Encoder& encoder, const Ior& ior);
CORBEL_API void decode(cdr::Decoder& decoder, Ior& ior, const cdr::Limits& limits = {});

/// "IOR:" and lower-case hexadecimal (7.6.9).
CORBEL_API std::string to_string(const Ior& ior);
/// Reads the "IOR:" form (either case of the prefix, trailing white space allowed). Stage resolve on failure.
CORBEL_API base::Result<Ior> from_string(std::string_view text, const cdr::Limits& limits = {});

/// First component with the tag, or nullptr.
CORBEL_API const TaggedComponent* find_component(const std::vector<TaggedComponent>& components, ComponentTag tag);

}  // namespace corbel::ior
