// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/id_source.hpp"

#include <cstring>
#include <random>

namespace corbel::poa {
namespace {

constexpr std::size_t kIdSize = 16;

std::uint64_t random_run() {
  std::random_device source;
  return static_cast<std::uint64_t>(source()) << 32 | source();
}

}  // namespace

IdSource::IdSource() : run_(random_run()) {}

std::vector<std::uint8_t> IdSource::next_id() {
  const std::uint64_t number = ++counter_;
  std::vector<std::uint8_t> id(kIdSize);
  std::memcpy(id.data(), &run_, sizeof run_);
  std::memcpy(id.data() + sizeof run_, &number, sizeof number);
  return id;
}

bool IdSource::may_have_made(base::ConstByteSpan id, bool any_run) const noexcept {
  if (id.size() != kIdSize) return false;
  if (any_run) return true;
  std::uint64_t run = 0;
  std::uint64_t number = 0;
  std::memcpy(&run, id.data(), sizeof run);
  std::memcpy(&number, id.data() + sizeof run, sizeof number);
  return run == run_ && number != 0 && number <= counter_.load();
}

}  // namespace corbel::poa
