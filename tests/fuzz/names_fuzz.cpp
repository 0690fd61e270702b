// SPDX-License-Identifier: Apache-2.0
// Names of the naming service as text.
#include <cstdlib>

#include "corbel/base/bytes.hpp"
#include "names.hpp"

namespace {

bool same(const CosNaming::Name& a, const CosNaming::Name& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].id() != b[i].id() || a[i].kind() != b[i].kind()) return false;
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace corbel;
  const std::string_view text = base::as_text({data, size});
  const naming::NameLimits limits{4, 8};
  const auto name = naming::parse_name(text);
  const auto bounded = naming::parse_name(text, limits);
  // Limits refuse long names, and change no others.
  if (name && naming::within(*name, limits) && (!bounded || !same(*name, *bounded))) std::abort();
  if (!name) return 0;
  if (name->empty()) std::abort();
  // What was read can be written, and reads the same again.
  const auto again = naming::parse_name(naming::to_string(*name));
  if (!again || !same(*name, *again)) std::abort();
  if (naming::escape_for_url(text).size() > 3 * size) std::abort();
  return 0;
}
