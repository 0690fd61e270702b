// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What clients post: in one packet, in several, and many.
namespace groups {

struct Post {
  std::uint32_t number;
  std::string text;
  std::vector<std::uint8_t> picture;

  /// As servers tell of it; GroupServer.java does the same.
  std::string line() const {
    std::uint32_t sum = 0;
    for (const std::uint8_t octet : picture) sum = sum * 31 + octet;
    return std::to_string(number) + ' ' + text + ' ' + std::to_string(picture.size()) + ' ' + std::to_string(sum) +
           '\n';
  }
};

inline std::vector<Post> posts() {
  std::vector<Post> all;
  for (const std::size_t size : {0, 1, 1000, 1300, 1400, 1440, 3000, 20000, 60000}) {
    Post post{static_cast<std::uint32_t>(all.size() + 1), "caf\xc3\xa9", {}};
    for (std::size_t i = 0; i < size; ++i) post.picture.push_back(static_cast<std::uint8_t>(i * 7 + size));
    all.push_back(post);
  }
  while (all.size() < 50) all.push_back({static_cast<std::uint32_t>(all.size() + 1), "small", {}});
  return all;
}

}  // namespace groups
