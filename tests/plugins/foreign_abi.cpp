// SPDX-License-Identifier: Apache-2.0
// Was built for another library: calling it would end badly.
#include <cstdint>
#include <cstdlib>

extern "C" {
[[gnu::visibility("default")]] extern const std::uint32_t corbel_plugin_abi;
const std::uint32_t corbel_plugin_abi = 999;
[[gnu::visibility("default")]] void corbel_plugin(void*);
void corbel_plugin(void*) {
  std::abort();
}
}
