// SPDX-License-Identifier: Apache-2.0
#include "manager.hpp"

#include <algorithm>
#include <iterator>

#include "zlib_compressor.hpp"

namespace corbel::ziop {

/// More levels than any compressor has: then the lot is forgotten.
static constexpr std::size_t kMostShared = 64;

Manager::Manager() {
  factories_.emplace(kZlib, make_zlib());
}

void Manager::register_factory(FactoryRef compressor_factory) {
  if (compressor_factory == nullptr) throw CORBA::BAD_PARAM();
  const std::uint16_t id = compressor_factory->compressor_id();
  const std::lock_guard lock(mutex_);
  if (!factories_.emplace(id, std::move(compressor_factory)).second) throw Compression::FactoryAlreadyRegistered();
}

void Manager::unregister_factory(Compression::CompressorId compressor_id) {
  std::map<Key, CompressorRef> gone;  // may be the last ones, of the application's code: after the lock
  FactoryRef factory;
  const std::lock_guard lock(mutex_);
  const auto found = factories_.find(compressor_id);
  if (found == factories_.end()) throw Compression::UnknownCompressorId();
  factory = std::move(found->second);
  factories_.erase(found);
  gone.swap(shared_);
}

Manager::FactoryRef Manager::get_factory(Compression::CompressorId compressor_id) {
  const std::lock_guard lock(mutex_);
  const auto found = factories_.find(compressor_id);
  if (found == factories_.end()) throw Compression::UnknownCompressorId();
  return found->second;
}

Manager::CompressorRef Manager::get_compressor(Compression::CompressorId compressor_id,
                                               Compression::CompressionLevel compression_level) {
  return get_factory(compressor_id)->get_compressor(compression_level);
}

Compression::CompressorFactorySeq Manager::get_factories() {
  Compression::CompressorFactorySeq all;
  const std::lock_guard lock(mutex_);
  for (const auto& [id, factory] : factories_) all.push_back(factory);
  return all;
}

Manager::CompressorRef Manager::shared(const IdLevel& one) noexcept try {
  const Key key{one.id, one.level};
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = shared_.find(key); found != shared_.end()) return found->second;
  }
  const FactoryRef factory = get_factory(one.id);
  CompressorRef made = factory->get_compressor(one.level);
  std::map<Key, CompressorRef> gone;
  const std::lock_guard lock(mutex_);
  const auto still = factories_.find(one.id);
  if (made == nullptr || still == factories_.end() || still->second != factory) return made;
  if (shared_.size() == kMostShared) gone.swap(shared_);
  return shared_.emplace(key, std::move(made)).first->second;
} catch (...) {  // an unknown compressor, a level that it has not, no memory
  return nullptr;
}

Manager::CompressorRef Manager::of_any_level(std::uint16_t compressor) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!factories_.contains(compressor)) return nullptr;
    const auto found = shared_.lower_bound({compressor, 0});
    if (found != shared_.end() && found->first.first == compressor) return found->second;
  }
  constexpr std::uint16_t kHighest = 9;  // of those that the standard speaks of
  CompressorRef made;
  for (std::uint16_t level = 0; level <= kHighest && made == nullptr; ++level) made = shared({compressor, level});
  return made;
}

Levels Manager::known(const Levels& all) {
  Levels found;
  const std::lock_guard lock(mutex_);
  std::ranges::copy_if(all, std::back_inserter(found), [&](const IdLevel& one) { return factories_.contains(one.id); });
  return found;
}

}  // namespace corbel::ziop
