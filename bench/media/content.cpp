// SPDX-License-Identifier: Apache-2.0
#include "media/content.hpp"

#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

namespace media {
namespace {

constexpr std::size_t kKeyFrame = 150'000;
constexpr std::size_t kLeast = 8'000;
constexpr std::size_t kMost = 48'000;
constexpr std::size_t kSound = 1'920;  // 10 ms of two channels at 48 kHz, two octets each
constexpr std::size_t kMostOfFile = 64U << 20;

/// Octets that come one after the other, without end.
class Source {
 public:
  explicit Source(const std::string& file) {
    if (file.empty()) return;
    std::ifstream input(file, std::ios::binary);
    if (!input) throw std::runtime_error("cannot read " + file);
    octets_.resize(kMostOfFile);
    input.read(reinterpret_cast<char*>(octets_.data()), static_cast<std::streamsize>(octets_.size()));
    octets_.resize(static_cast<std::size_t>(input.gcount()));
    if (octets_.size() < kMost) throw std::runtime_error(file + " is no video file: it is too small");
  }
  Octets take(std::size_t size) {
    Octets part(size);
    for (auto& octet : part) octet = next();
    return part;
  }

 private:
  std::uint8_t next() {
    if (octets_.empty()) return static_cast<std::uint8_t>(random_() >> 24);
    if (at_ == octets_.size()) at_ = 0;
    return octets_[at_++];
  }
  Octets octets_;
  std::size_t at_ = 0;
  std::mt19937 random_{4711};
};

}  // namespace

Content::Content(const std::string& file) {
  Source source(file);
  std::mt19937 sizes(7);
  for (std::uint32_t i = 0; i < kDifferent; ++i) {
    pictures_.push_back(source.take(i % 30 == 0 ? kKeyFrame : kLeast + sizes() % (kMost - kLeast)));
    sounds_.push_back(source.take(kSound));
  }
}

}  // namespace media
