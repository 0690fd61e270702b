// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace media {

using Octets = std::vector<std::uint8_t>;

/// The frames of the stream: pieces of a video file, or generated ones. The same in both processes, so that the
/// receiver can check each. Every 30th picture is a key frame and five times as large as the others are on average.
class Content {
 public:
  /// `file`: its octets, one after the other and again from the beginning; empty: generated. Throws std::runtime_error
  /// if it cannot be read or is too small.
  explicit Content(const std::string& file);

  const Octets& picture(std::uint32_t number) const { return pictures_[number % kDifferent]; }
  const Octets& sound(std::uint32_t number) const { return sounds_[number % kDifferent]; }
  bool is_picture(std::uint32_t number, const Octets& octets) const { return octets == picture(number); }
  bool is_sound(std::uint32_t number, const Octets& octets) const { return octets == sound(number); }

  static constexpr std::uint32_t kDifferent = 60;

 private:
  std::vector<Octets> pictures_;
  std::vector<Octets> sounds_;
};

}  // namespace media
