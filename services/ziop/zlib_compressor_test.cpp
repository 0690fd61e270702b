// SPDX-License-Identifier: Apache-2.0
#include "zlib_compressor.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "manager.hpp"

namespace corbel::ziop {
namespace {

using Compression::Buffer;

Buffer text(std::size_t size) {
  Buffer octets(size);
  for (std::size_t i = 0; i < size; ++i) octets[i] = static_cast<std::uint8_t>(i % 17);
  return octets;
}

TEST(ZlibCompressor, CompressesAtEveryLevel) {
  const auto factory = make_zlib();
  EXPECT_EQ(factory->compressor_id(), Compression::COMPRESSORID_ZLIB);
  for (std::uint16_t level = 0; level <= 9; ++level) {
    const auto compressor = factory->get_compressor(level);
    EXPECT_EQ(compressor->compression_level(), level);
    EXPECT_EQ(compressor->compressor_factory(), factory);
    for (const std::size_t size : {0U, 1U, 100U, 100'000U}) {
      Buffer data;
      compressor->compress(text(size), data);
      Buffer back(size);
      compressor->decompress(data, back);
      EXPECT_EQ(back, text(size));
    }
    EXPECT_EQ(compressor->uncompressed_bytes(), 100'101U);
    EXPECT_NEAR(compressor->compression_ratio(), static_cast<double>(compressor->compressed_bytes()) / 100'101, 1e-6);
  }
  EXPECT_THROW((void)factory->get_compressor(10), CORBA::BAD_PARAM);
}

TEST(ZlibCompressor, WritesNoMoreThanThereIsRoomFor) {
  const auto compressor = make_zlib()->get_compressor(6);
  Buffer data;
  compressor->compress(text(1000), data);
  Buffer less(999);
  EXPECT_THROW(compressor->decompress(data, less), Compression::CompressionException);
  EXPECT_EQ(less.size(), 999U);
  Buffer more(5000);
  compressor->decompress(data, more);
  EXPECT_EQ(more, text(1000));
  Buffer none;
  EXPECT_THROW(compressor->decompress(data, none), Compression::CompressionException);
  EXPECT_THROW(compressor->decompress(Buffer(), none), Compression::CompressionException);
  // And can be used as before.
  Buffer again(1000);
  compressor->decompress(data, again);
  EXPECT_EQ(again, text(1000));
}

TEST(ZlibCompressor, ServesThreadsAtOnce) {
  const auto compressor = make_zlib()->get_compressor(1);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (std::size_t round = 0; round < 50; ++round) {
        const Buffer octets = text(1000 * i + round);
        Buffer data;
        compressor->compress(octets, data);
        Buffer back(octets.size());
        compressor->decompress(data, back);
        if (back != octets) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(CompressionManager, HasFactoriesByTheirNumbers) {
  const auto manager = CORBA::make_reference<Manager>();
  EXPECT_EQ(manager->get_factories().size(), 1U);
  EXPECT_EQ(manager->get_compressor(kZlib, 3)->compression_level(), 3);
  EXPECT_THROW(manager->register_factory(make_zlib()), Compression::FactoryAlreadyRegistered);
  EXPECT_THROW((void)manager->get_factory(101), Compression::UnknownCompressorId);
  EXPECT_THROW((void)manager->get_compressor(101, 1), Compression::UnknownCompressorId);
  EXPECT_THROW(manager->unregister_factory(101), Compression::UnknownCompressorId);
  EXPECT_EQ(manager->shared({kZlib, 3}), manager->shared({kZlib, 3}));
  EXPECT_EQ(manager->shared({kZlib, 99}), nullptr);
  EXPECT_EQ(manager->shared({101, 3}), nullptr);
  EXPECT_EQ(manager->known({{101, 1}, {kZlib, 1}}), (Levels{{kZlib, 1}}));
  manager->unregister_factory(kZlib);
  EXPECT_EQ(manager->shared({kZlib, 3}), nullptr);
  EXPECT_TRUE(manager->get_factories().empty());
  manager->register_factory(make_zlib());
  EXPECT_NE(manager->shared({kZlib, 3}), nullptr);
}

}  // namespace
}  // namespace corbel::ziop
