// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/protocol.hpp"

#include <utility>

namespace corbel::messaging {

Protocol::~Protocol() = default;

std::string to_string(const Offers& offers) {
  std::string text;
  for (const auto& [offered, word] : {std::pair{offers.two_way, "two-way"},
                                      {offers.oneway, "oneway"},
                                      {offers.locate, "locate"},
                                      {offers.cancel, "cancel"},
                                      {offers.service_contexts, "service contexts"},
                                      {offers.fragments, "fragments"},
                                      {offers.both_ways, "both ways"}}) {
    if (!offered) continue;
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

}  // namespace corbel::messaging
