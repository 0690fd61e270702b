// SPDX-License-Identifier: Apache-2.0
// What the sessions and the interceptors of one ORB have in common: what it compresses, with what, and what came of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <corbel/cdr/encoder.hpp>
#include <corbel/messaging/message.hpp>

#include "corbel_ziop.hpp"
#include "manager.hpp"
#include "wire.hpp"

namespace corbel::ziop {

/// How the messages of a call, or those of an ORB if nobody says otherwise, are compressed.
struct Terms {
  bool enabled = true;
  Levels compressors;
  std::uint32_t low_value = 0;
  float min_ratio = 0;
};

/// Counts of one kind; thread-safe.
struct Count {
  std::atomic<std::uint64_t> messages{0};
  std::atomic<std::uint64_t> octets{0};      ///< as GIOP has them
  std::atomic<std::uint64_t> compressed{0};  ///< on the wire

  void add(std::uint64_t before, std::uint64_t after) noexcept {
    messages.fetch_add(1, std::memory_order_relaxed);
    octets.fetch_add(before, std::memory_order_relaxed);
    compressed.fetch_add(after, std::memory_order_relaxed);
  }
};

/// Thread-safe. The terms are settled before the ORB is used.
class Engine {
 public:
  explicit Engine(const Settings& settings);

  const Terms& terms() const noexcept { return terms_; }
  Manager& manager() const noexcept { return *manager_; }
  const CORBA::object_reference<Manager>& manager_reference() const noexcept { return manager_; }

  /// Replaces the request or reply that the encoder has by the same one compressed, if that is worth it.
  void compress(cdr::Encoder& encoder, const IdLevel& by, const Terms& terms) noexcept;
  /// The data of a compressed message to `target`, whose size they have to have. False if they have not, or make no
  /// sense.
  bool decompress(std::uint16_t compressor, base::ConstByteSpan data, base::ByteSpan target) noexcept;
  /// Octets of memory that decompress() takes besides `target` meanwhile; nothing if there is no such compressor.
  std::optional<std::size_t> scratch(std::uint16_t compressor, std::size_t data, std::size_t target) const noexcept;

  // What an interceptor says of a call to the session that the call comes to, as a service context which that takes out
  // again. No stranger's octets can be taken for it.
  base::Bytes encode(const Terms& terms) const;
  /// False, and nothing changes, if there is none among the contexts.
  bool find(std::span<const messaging::ServiceContext> contexts, Terms& terms) const;
  static constexpr std::uint32_t kTermsContext = 0x43424c7a;

  Count sent;
  Count received;
  std::atomic<std::uint64_t> refused{0};  ///< messages that came and could not be read

 private:
  Manager::CompressorRef reader(std::uint16_t compressor) const noexcept;

  const CORBA::object_reference<Manager> manager_;
  Terms terms_;
  const std::uint64_t secret_;  // by which terms are known
};
using EnginePtr = std::shared_ptr<Engine>;

}  // namespace corbel::ziop
