// SPDX-License-Identifier: Apache-2.0
// corbaloc: and corbaname: URLs.
#include <cstdlib>

#include "corbel/ior/url.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace corbel;
  ior::UrlFault fault{};
  const auto url = ior::parse_object_url(base::as_text({data, size}), fault);
  if (!url) return 0;
  // What was read can be written, and reads the same again.
  const auto again = ior::parse_object_url("corbaloc::h/" + ior::escape_object_key(url->object_key), fault);
  if (!url->object_key.empty() && (!again || again->object_key != url->object_key)) std::abort();
  return 0;
}
