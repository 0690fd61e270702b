// SPDX-License-Identifier: Apache-2.0
// The CompressionManager of an ORB: who makes compressors, and those that its messages go through.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "Compression.hpp"
#include "wire.hpp"

namespace corbel::ziop {

/// Thread-safe; calls factories without a lock. It has zlib's factory from the beginning.
class Manager final : public Compression::CompressionManager {
 public:
  using FactoryRef = IDL::traits<Compression::CompressorFactory>::ref_type;
  using CompressorRef = IDL::traits<Compression::Compressor>::ref_type;

  Manager();
  void register_factory(FactoryRef compressor_factory) override;
  void unregister_factory(Compression::CompressorId compressor_id) override;
  FactoryRef get_factory(Compression::CompressorId compressor_id) override;
  CompressorRef get_compressor(Compression::CompressorId compressor_id,
                               Compression::CompressionLevel compression_level) override;
  Compression::CompressorFactorySeq get_factories() override;

  /// The same one for all messages; nil if there is no such factory, or it makes none.
  CompressorRef shared(const IdLevel& one) noexcept;
  /// One that decompresses: the data say by which compressor they were made, not at which level. Nil as shared().
  CompressorRef of_any_level(std::uint16_t compressor) noexcept;
  /// Those of the list that there are factories for.
  Levels known(const Levels& all);

 private:
  using Key = std::pair<std::uint16_t, std::uint16_t>;

  std::mutex mutex_;  // guards what follows
  std::map<std::uint16_t, FactoryRef> factories_;
  std::map<Key, CompressorRef> shared_;  // of factories that are there; peers choose levels: bounded
};

}  // namespace corbel::ziop
