// SPDX-License-Identifier: Apache-2.0
// Names as text (CosNaming 1.3, 2.4 and 2.5): "a.kind/b" and back, and as part of a URL.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "CosNaming.hpp"

namespace corbel::naming {

/// What a name may measure. Names beyond it are refused with IMP_LIMIT.
struct NameLimits {
  std::size_t components = 128;         ///< components of one name
  std::size_t component_octets = 1024;  ///< octets of an id, and of a kind
};

/// For names that their reader has in hand anyway.
inline constexpr NameLimits kNoNameLimits = {std::numeric_limits<std::size_t>::max(),
                                             std::numeric_limits<std::size_t>::max()};

/// True if the name has a component, and no more and no longer ones than allowed. A name without components is never
/// within the limits: callers tell the two apart by `name.empty()`.
bool within(const CosNaming::Name& name, const NameLimits& limits) noexcept;

/// "id.kind/id2": '/', '.' and '\' of the texts are written with a '\' before them; a component without id and kind is
/// ".". Never fails; the empty name is "".
std::string to_string(const CosNaming::Name& name);
std::string to_string(const CosNaming::NameComponent& component);

/// The name that a text stands for; nothing if it is none: empty, with an empty component ("a//b"), a '.' at the end of
/// a component that is more than it, two of them, or a '\' before anything but '/', '.' and '\'. Reads no further than
/// the limits: of a text beyond them it gives a name that is not within() them, whatever follows in the text.
std::optional<CosNaming::Name> parse_name(std::string_view text, const NameLimits& limits = kNoNameLimits);

/// The text as a URL may hold it: what is neither an ASCII letter or digit nor one of ;/:?@&=+$,-_.!~*'() is written
/// %hh (CosNaming 1.3, 2.5.3.5).
std::string escape_for_url(std::string_view text);

}  // namespace corbel::naming
