// SPDX-License-Identifier: Apache-2.0
// How much stack lists of values take where they arrive, and what is said of those that are too long.
#include <gtest/gtest.h>

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>

#include <corbel/corbel.hpp>

#include "values_any.hpp"

namespace {

using Node = IDL::traits<Graph::Node>::ref_type;

Node list_of(int levels) {
  Node list;
  for (; levels > 0; --levels) {
    list = CORBA::make_reference<IDL::traits<Graph::Node>::obv_type>("n", list ? Graph::Nodes{list} : Graph::Nodes{});
  }
  return list;
}

/// Octets of stack that a thread needs for it, and what every thread does.
std::size_t stack_for(std::function<void()> work) {
  constexpr std::size_t kSize = 1U << 20;
  constexpr int kUnused = 0x5a;
  auto* const stack = static_cast<unsigned char*>(std::aligned_alloc(4096, kSize));
  std::memset(stack, kUnused, kSize);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, kSize);
  pthread_t thread{};
  const auto run = [](void* given) -> void* {
    (*static_cast<std::function<void()>*>(given))();
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  const auto* const used = std::find_if(stack, stack + kSize, [](unsigned char octet) { return octet != kUnused; });
  const auto size = static_cast<std::size_t>(stack + kSize - used);
  std::free(stack);
  return size;
}

TEST(DeepValues, InAnysTakeLittleStackAtEachLevel) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(NDEBUG)
  GTEST_SKIP() << "frames are larger";
#endif
  const auto stack_of_levels = [](int levels) {
    CORBA::Any any, back;
    any <<= list_of(levels);
    corbel::cdr::Encoder encoder;
    corbel::mapping::Codec<CORBA::Any>::encode(encoder, any);
    const auto octets = encoder.to_bytes();
    return stack_for([&] {
      corbel::cdr::Decoder decoder(octets, {});
      corbel::mapping::Codec<CORBA::Any>::decode(decoder, back);
      EXPECT_TRUE(decoder.ok());
    });
  };
  EXPECT_LT((stack_of_levels(120) - stack_of_levels(20)) / 100, 700U);
}

TEST(DeepValues, SayThatTheyAreTooDeepWhereTheyAreSent) {
  corbel::cdr::Encoder encoder;
  corbel::mapping::Codec<Node>::encode(encoder, list_of(1001));
  ASSERT_FALSE(encoder.ok());
  EXPECT_EQ(encoder.error().code, corbel::base::Code::too_deep);
}

}  // namespace
