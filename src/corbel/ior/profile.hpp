// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corbel/ior/ior.hpp"

namespace corbel::ior {

/// What all profile bodies have in common; the address differs by transport.
struct ProfileBase {
  Version version;
  base::Bytes object_key;
  std::vector<TaggedComponent> components;
};

/// IIOP::ProfileBody (9.7.2). Components exist from version 1.1 on. A minor beyond 2 is read as 1.2.
struct IiopProfile : ProfileBase {
  std::string host;
  std::uint16_t port = 0;
};

/// TAO's DIOP profile: the same in datagrams.
struct DiopProfile : IiopProfile {};

/// TAO's UIOP profile: version, rendezvous point (socket path), key, components.
struct UiopProfile : ProfileBase {
  std::string path;
};

/// Corbel's own profile for combinations no standard tag expresses: encapsulation of octet major, octet minor, string
/// protocol ("giop", "giop_lite"), string endpoint ("tcp://127.0.0.1:4000"), sequence<octet> key, components.
struct CorbelProfile : ProfileBase {
  std::string protocol;
  std::string endpoint;
};

CORBEL_API TaggedProfile encode_profile(const IiopProfile& profile);
CORBEL_API TaggedProfile encode_profile(const DiopProfile& profile);
CORBEL_API TaggedProfile encode_profile(const UiopProfile& profile);
CORBEL_API TaggedProfile encode_profile(const CorbelProfile& profile);
CORBEL_API base::Result<IiopProfile> decode_iiop_profile(const TaggedProfile& profile, const cdr::Limits& limits = {});
CORBEL_API base::Result<DiopProfile> decode_diop_profile(const TaggedProfile& profile, const cdr::Limits& limits = {});
CORBEL_API base::Result<UiopProfile> decode_uiop_profile(const TaggedProfile& profile, const cdr::Limits& limits = {});
CORBEL_API base::Result<CorbelProfile> decode_corbel_profile(const TaggedProfile& profile,
                                                             const cdr::Limits& limits = {});

/// Adds a component to a profile of any of the kinds above; false, with nothing changed, if it is none or has no room
/// for components (IIOP 1.0).
CORBEL_API bool add_component(TaggedProfile& profile, const TaggedComponent& component, const cdr::Limits& limits = {});

/// The object key inside a profile body of any of the kinds above, in place; of a group (ior/group.hpp), the body.
/// Fails with unsupported for other tags.
CORBEL_API base::Result<base::ConstByteSpan> object_key_of(std::uint32_t tag, base::ConstByteSpan body);

/// TAG_ALTERNATE_IIOP_ADDRESS and TAG_OMNIORB_UNIX_TRANS bodies.
struct HostPort {
  std::string host;
  std::uint16_t port = 0;
};
struct HostPath {
  std::string host;
  std::string path;
};
/// What an endpoint promises to carry.
struct Bandwidth {
  std::string endpoint;      ///< "tcp://host:port"
  std::uint32_t kbit_s = 0;  ///< thousands of bits a second
};
CORBEL_API TaggedComponent encode_bandwidths(const std::vector<Bandwidth>& bandwidths);
CORBEL_API base::Result<std::vector<Bandwidth>> decode_bandwidths(const TaggedComponent& component);
CORBEL_API TaggedComponent encode_alternate_address(const HostPort& address);
CORBEL_API base::Result<HostPort> decode_alternate_address(const TaggedComponent& component);
CORBEL_API TaggedComponent encode_unix_address(const HostPath& address);
CORBEL_API base::Result<HostPath> decode_unix_address(const TaggedComponent& component);

/// TAG_CODE_SETS body: CONV_FRAME::CodeSetComponentInfo (7.10.2.4).
struct CodeSetInfo {
  struct Component {
    std::uint32_t native = 0;
    std::vector<std::uint32_t> conversions;
  };
  Component for_char;
  Component for_wchar;
};
CORBEL_API TaggedComponent encode_code_sets(const CodeSetInfo& info);
CORBEL_API base::Result<CodeSetInfo> decode_code_sets(const TaggedComponent& component);
/// What Corbel offers: UTF-8 with conversion to ISO 8859-1; UTF-16.
CORBEL_API CodeSetInfo own_code_sets();

/// The transmission code sets for a connection to a server that published `server` (7.10.2.6); nullptr when the
/// profile carries none: octets pass through and wide characters are refused. Prefers a choice without conversion.
struct CodeSetChoice {
  cdr::CodeSet for_char = cdr::CodeSet::utf_8;
  cdr::CodeSet for_wchar = cdr::CodeSet::none;
  /// False if the sets are incompatible (CODESET_INCOMPATIBLE minor 1).
  bool compatible = true;
  /// True if the choice must be told to the server with a CodeSets service context.
  bool negotiated = false;
};
CORBEL_API CodeSetChoice choose_code_sets(const CodeSetInfo* server);

}  // namespace corbel::ior
