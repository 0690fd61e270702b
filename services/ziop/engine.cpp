// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <utility>

#include "zlib_compressor.hpp"

namespace corbel::ziop {
namespace {

std::uint64_t make_secret() {
  std::random_device source;
  return std::uint64_t{source()} << 32 | source();
}

/// The octets of a message behind GIOP's header, which go to `head`.
Compression::Buffer body_of(cdr::Encoder& encoder, std::array<base::Octet, kGiopHeader>& head) {
  Compression::Buffer body;
  body.reserve(encoder.position() - kGiopHeader);
  std::size_t of_head = 0;
  for (const cdr::Segment& segment : encoder.segments()) {
    base::ConstByteSpan octets(static_cast<const base::Octet*>(segment.data), segment.size);
    const std::size_t first = std::min(octets.size(), kGiopHeader - of_head);
    base::copy_octets(head.data() + of_head, octets.data(), first);
    of_head += first;
    octets = octets.subspan(first);
    body.insert(body.end(), octets.begin(), octets.end());
  }
  return body;
}

/// As octets lie in a context of this process's own.
struct Fixed {
  std::uint64_t secret = 0;
  std::uint32_t low_value = 0;
  float min_ratio = 0;
  std::uint32_t enabled = 0;
  std::uint32_t count = 0;
};
static_assert(sizeof(Fixed) == 24 && sizeof(IdLevel) == 4);

}  // namespace

Engine::Engine(const Settings& settings) : manager_(CORBA::make_reference<Manager>()), secret_(make_secret()) {
  for (const auto& one : settings.compressors) {
    terms_.compressors.push_back({one.compressor_id(), one.compression_level()});
  }
  terms_.enabled = !terms_.compressors.empty();
  terms_.low_value = settings.low_value;
  terms_.min_ratio = settings.min_ratio;
}

void Engine::compress(cdr::Encoder& encoder, const IdLevel& by, const Terms& terms) noexcept try {
  const std::size_t size = encoder.position();
  if (!encoder.ok() || encoder.format().giop_minor != 2 || size < terms.low_value || size <= kDataAt) return;
  const auto compressor = manager_->shared(by);
  if (compressor == nullptr) return;
  std::array<base::Octet, kGiopHeader> head{};
  const Compression::Buffer body = body_of(encoder, head);
  Compression::Buffer data;
  compressor->compress(body, data);
  const bool worth = static_cast<double>(data.size()) <= static_cast<double>(body.size()) * terms.min_ratio;
  if (!worth || data.size() + kDataAt >= size) return;
  // From here on nothing may fail: the message is there once only.
  const cdr::Format format = encoder.format();
  encoder.reset(format);
  put_head(head, format.swapped(), by.id, static_cast<std::uint32_t>(body.size()),
           static_cast<std::uint32_t>(data.size()), encoder.reserve(kDataAt));
  encoder.commit(kDataAt);
  try {
    encoder.copy_octets(data.data(), data.size());
  } catch (...) {
    encoder.fail(base::Code::out_of_resources);
    return;
  }
  sent.add(size, data.size() + kDataAt);
} catch (...) {  // the compressor, or for want of memory: it leaves as it is
}

Manager::CompressorRef Engine::reader(std::uint16_t compressor) const noexcept {
  for (const IdLevel& one : terms_.compressors) {
    if (one.id != compressor) continue;
    if (auto found = manager_->shared(one)) return found;
  }
  return manager_->of_any_level(compressor);
}

bool Engine::decompress(std::uint16_t compressor, base::ConstByteSpan data, base::ByteSpan target) noexcept try {
  if (compressor == kZlib && target.size() / kZlibMostRatio > data.size()) return false;
  const auto by = reader(compressor);
  if (by == nullptr) return false;
  if (auto* const in_place = dynamic_cast<InPlace*>(by._shared().get())) {
    in_place->decompress_to(data, target);
    return true;
  }
  Compression::Buffer room(target.size());
  by->decompress(Compression::Buffer(data.begin(), data.end()), room);
  if (room.size() != target.size()) return false;
  base::copy_octets(target.data(), room.data(), room.size());
  return true;
} catch (...) {
  return false;
}

std::optional<std::size_t> Engine::scratch(std::uint16_t compressor, std::size_t data,
                                           std::size_t target) const noexcept {
  const auto by = reader(compressor);
  if (by == nullptr) return std::nullopt;
  return dynamic_cast<InPlace*>(by._shared().get()) != nullptr ? 0 : data + target;
}

base::Bytes Engine::encode(const Terms& terms) const {
  const std::size_t count = std::min(terms.compressors.size(), kMostLevels);
  const Fixed fixed{secret_, terms.low_value, terms.min_ratio, terms.enabled ? 1U : 0U,
                    static_cast<std::uint32_t>(count)};
  base::Bytes octets(sizeof fixed + count * sizeof(IdLevel));
  std::memcpy(octets.data(), &fixed, sizeof fixed);
  base::copy_octets(octets.data() + sizeof fixed, terms.compressors.data(), count * sizeof(IdLevel));
  return octets;
}

bool Engine::find(std::span<const messaging::ServiceContext> contexts, Terms& terms) const {
  const auto found = std::ranges::find(contexts, kTermsContext, &messaging::ServiceContext::id);
  if (found == contexts.end() || found->data.size() < sizeof(Fixed)) return false;
  Fixed fixed;
  std::memcpy(&fixed, found->data.data(), sizeof fixed);
  if (fixed.secret != secret_ || found->data.size() != sizeof fixed + fixed.count * sizeof(IdLevel)) return false;
  terms.enabled = fixed.enabled != 0;
  terms.low_value = fixed.low_value;
  terms.min_ratio = fixed.min_ratio;
  terms.compressors.resize(fixed.count);
  base::copy_octets(terms.compressors.data(), found->data.data() + sizeof fixed, fixed.count * sizeof(IdLevel));
  return true;
}

}  // namespace corbel::ziop
