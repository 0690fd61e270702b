// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/kept_contexts.hpp"

#include <algorithm>
#include <utility>

namespace corbel::orb {

const base::Bytes* KeptContexts::find(std::uint32_t id) const noexcept {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const Context& one) { return one.id == id; });
  return found == all_.end() ? nullptr : &found->data;
}

bool KeptContexts::add(std::uint32_t id, base::Bytes data, bool replace) {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const Context& one) { return one.id == id; });
  if (found == all_.end()) {
    all_.push_back({id, std::move(data)});
    return true;
  }
  if (replace) found->data = std::move(data);
  return replace;
}

void KeptContexts::keep(const messaging::ServiceContextView& contexts) {
  contexts.for_each([&](const messaging::ServiceContext& one) {
    all_.push_back({one.id, base::Bytes(one.data.begin(), one.data.end())});
  });
}

void KeptContexts::view(std::vector<messaging::ServiceContext>& into) const {
  for (const Context& one : all_) into.push_back({one.id, one.data});
}

}  // namespace corbel::orb
