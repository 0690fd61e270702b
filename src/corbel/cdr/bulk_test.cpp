// SPDX-License-Identifier: Apache-2.0
#include "corbel/cdr/bulk.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "corbel/cdr/test_support.hpp"

namespace corbel::cdr {
namespace {

struct Inner {
  std::int32_t a;
  std::int32_t b;
  friend bool operator==(const Inner&, const Inner&) = default;
};

/// The shape of generated code: padding is a member, so that it has a value.
struct Mixed {
  std::int16_t s;
  std::int8_t c;
  std::uint8_t pad0[1];
  Inner inner;
  std::uint8_t o;
  std::uint8_t pad1[3];
  double d;
  friend bool operator==(const Mixed&, const Mixed&) = default;
};

/// With initialisers, as generated code has them: vectors construct these one by one.
struct Initialised {
  std::int16_t s{};
  char c{};
  std::uint8_t pad0[1]{};
  std::int32_t l{};
  std::uint8_t o{};
  std::uint8_t pad1[7]{};
  double d{};
  friend bool operator==(const Initialised&, const Initialised&) = default;
};
static_assert(sizeof(Initialised) == 24 && !std::is_trivially_default_constructible_v<Initialised>);

struct NoLayout {};

}  // namespace

template <>
struct BulkLayout<Inner> {
  static constexpr bool value = true;
  static constexpr std::size_t alignment = 4;
  static constexpr std::size_t first_alignment = 4;
  static constexpr bool has_padding = false;
  static void clear_padding(Inner&) noexcept {}
};

template <>
struct BulkLayout<Mixed> {
  static constexpr bool value = true;
  static constexpr std::size_t alignment = 8;
  static constexpr std::size_t first_alignment = 2;
  static constexpr bool has_padding = true;
  static void clear_padding(Mixed& mixed) noexcept {
    std::memset(mixed.pad0, 0, sizeof mixed.pad0);
    std::memset(mixed.pad1, 0, sizeof mixed.pad1);
  }
};

template <>
struct BulkLayout<Initialised> {
  static constexpr bool value = true;
  static constexpr std::size_t alignment = 8;
  static constexpr std::size_t first_alignment = 2;
  static constexpr bool has_padding = true;
  static void clear_padding(Initialised& all) noexcept { clear_octets<3, 1, 9, 7>(all); }
};

namespace {

static_assert(!BulkLayout<NoLayout>::value);

std::vector<Mixed> make(std::size_t count) {
  std::vector<Mixed> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto n = static_cast<std::int16_t>(i);
    values[i] = {n, 1, {}, {n, -n}, 2, {}, n * 0.5};
  }
  return values;
}

TEST(Bulk, StructsLieOnTheWireAsMemberByMember) {
  const std::vector<Mixed> values = make(300);
  Encoder one_by_one;
  one_by_one.put_count(values.size());
  one_by_one.put(std::uint32_t{0});
  for (const Mixed& value : values) {
    one_by_one.put(value.s);
    one_by_one.put(value.c);
    one_by_one.put(value.inner.a);
    one_by_one.put(value.inner.b);
    one_by_one.put(value.o);
    one_by_one.put(value.d);
  }
  Encoder bulk;
  bulk.put_count(values.size());
  bulk.put(std::uint32_t{0});
  put_bulk(bulk, values.data(), values.size());
  EXPECT_EQ(bulk.to_bytes(), one_by_one.to_bytes());
  EXPECT_EQ(bulk.segments()[1].data, values.data());
}

TEST(Bulk, ReadsStructsAtAnyAddressAndClearsTheirPadding) {
  const std::vector<Mixed> values = make(300);
  for (std::size_t offset = 0; offset < 8; ++offset) {
    base::Bytes memory(offset + values.size() * sizeof(Mixed));
    std::memcpy(memory.data() + offset, values.data(), values.size() * sizeof(Mixed));
    for (std::size_t at = offset; at < memory.size(); at += sizeof(Mixed)) {
      memory[at + offsetof(Mixed, pad0)] = 0xee;
      memory[at + offsetof(Mixed, pad1) + 2] = 0xee;
    }
    for (const std::size_t there : {std::size_t{0}, offset, std::size_t{299}, std::size_t{300}, std::size_t{301}}) {
      Decoder decoder(base::ConstByteSpan(memory).subspan(offset), kLittle);
      std::vector<Mixed> read(there);
      get_bulk(decoder, read, values.size());
      EXPECT_EQ(read, values);
    }
    Decoder again(base::ConstByteSpan(memory).subspan(offset), kLittle);
    std::vector<Mixed> array(300);
    get_bulk(again, array.data(), values.size());
    EXPECT_EQ(array, values);
  }
}

TEST(Bulk, WritesOverWhatIsThereWithoutAllocating) {
  const std::vector<Mixed> values = make(40);
  Encoder encoder;
  encoder.put_octets(values.data(), values.size() * sizeof(Mixed));
  const base::Bytes octets = encoder.to_bytes();
  std::vector<Mixed> read = make(50);
  const Mixed* const storage = read.data();
  Decoder decoder(octets, kLittle);
  get_bulk(decoder, read, values.size());
  EXPECT_EQ(read, values);
  EXPECT_EQ(read.data(), storage);
  get_bulk(decoder, read, 1);
  EXPECT_FALSE(decoder.ok());
  EXPECT_TRUE(read.empty());
}

TEST(Bulk, CopiesLargeRunsWhereverTheyLie) {
  constexpr std::size_t kSize = 10'000;
  base::Bytes source(kSize + 4096);
  std::iota(source.begin(), source.end(), base::Octet{1});
  std::vector<base::Octet> read;
  read.reserve(kSize);
  bool slow = false;
  for (std::size_t ahead = 0; ahead < 128; ahead += 8) {
    const std::size_t begin = (reinterpret_cast<std::uintptr_t>(read.data()) + 8192 - ahead -
                               reinterpret_cast<std::uintptr_t>(source.data())) %
                              4096;
    const base::ConstByteSpan raw(source.data() + begin, kSize);
    slow = slow || base::copies_slowly(read.data(), raw.data(), kSize);
    Decoder decoder(raw, kLittle);
    get_vector(decoder, read, kSize);
    EXPECT_TRUE(std::equal(raw.begin(), raw.end(), read.begin(), read.end())) << ahead;
    base::Bytes copy(kSize);
    base::copy_octets(copy.data(), raw.data(), kSize);
    EXPECT_EQ(copy, read) << ahead;
  }
  EXPECT_TRUE(slow);  // both ways were taken
}

/// What a peer may send: paddings that are not zero.
base::Bytes dirty(const std::vector<Initialised>& values) {
  const auto* const first = reinterpret_cast<const std::uint8_t*>(values.data());
  base::Bytes octets(first, first + values.size() * sizeof(Initialised));
  for (std::size_t at = 0; at < octets.size(); at += sizeof(Initialised)) {
    octets[at + 3] = 0xee;
    std::memset(octets.data() + at + 9, 0xee, 7);
  }
  return octets;
}

TEST(Bulk, StructsWithInitialisersAreCopiedWithoutWhatLiesBetweenTheirMembers) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{9}, std::size_t{600}, std::size_t{2000}}) {
    std::vector<Initialised> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto n = static_cast<std::int16_t>(i);
      values[i] = {n, 'c', {}, -n, 0x81, {}, n * 0.5};
    }
    for (const std::size_t shift : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
      base::Bytes octets(shift, 0);
      const base::Bytes sent = dirty(values);
      octets.insert(octets.end(), sent.begin(), sent.end());
      for (const std::size_t there : {std::size_t{0}, std::size_t{5}, count, count + 3}) {
        Decoder decoder(base::ConstByteSpan(octets).subspan(shift), Format());
        std::vector<Initialised> read(there, Initialised{7, 'x', {}, 7, 7, {}, 7});
        get_bulk(decoder, read, count);
        ASSERT_TRUE(decoder.ok());
        ASSERT_EQ(read, values) << count << " at " << shift << " over " << there;
        // The vector is as if it had made them itself.
        read.push_back(values[0]);
        read.resize(count + 100);
        EXPECT_EQ(read[count], values[0]);
        EXPECT_EQ(read[count + 99], Initialised());
      }
    }
  }
}

template <std::size_t kSize>
struct alignas(2) Octets {
  std::uint8_t at[kSize];
};

/// Pairs of begin and length in a struct of each size of word.
template <std::size_t kSize, std::size_t... kPairs>
void clears_just_these() {
  Octets<kSize> value{};
  std::memset(value.at, 0xff, kSize);
  clear_octets<kPairs...>(value);
  const std::size_t pairs[] = {kPairs...};
  for (std::size_t i = 0; i < kSize; ++i) {
    bool cleared = false;
    for (std::size_t k = 0; k < sizeof...(kPairs); k += 2) cleared |= i >= pairs[k] && i < pairs[k] + pairs[k + 1];
    EXPECT_EQ(value.at[i], cleared ? 0 : 0xff) << kSize << " octets, at " << i;
  }
}

TEST(Bulk, ClearsTheOctetsThatItIsTold) {
  clears_just_these<24, 3, 1, 9, 7>();
  clears_just_these<16, 6, 4>();
  clears_just_these<12, 1, 3, 9, 1>();
  clears_just_these<6, 1, 1>();
}

TEST(Bulk, EmptiesTheVectorOnTruncation) {
  const base::Bytes octets(3 * sizeof(Inner) - 1);
  Decoder decoder(octets, kLittle);
  std::vector<Inner> read(9);
  get_bulk(decoder, read, 3);
  EXPECT_TRUE(read.empty());
  EXPECT_EQ(decoder.error().code, base::Code::truncated);
}

template <class T>
void round_trip(Format format, std::size_t shift) {
  std::vector<T> values(5000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(i * 77);
  Encoder encoder(format);
  encoder.put_count(values.size());
  encoder.put_array(values.data(), values.size());
  base::Bytes octets(shift, 0);
  const base::Bytes encoded = encoder.to_bytes();
  octets.insert(octets.end(), encoded.begin(), encoded.end());
  Decoder decoder(base::ConstByteSpan(octets).subspan(shift), format);
  std::vector<T> read(3);
  get_vector(decoder, read, decoder.take_count(sizeof(T), sizeof(T)));
  EXPECT_EQ(read, values);
  EXPECT_EQ(decoder.remaining(), 0U);
  Decoder cut(base::ConstByteSpan(encoded).first(encoded.size() - 1), format);
  cut.get<std::uint32_t>();
  get_vector(cut, read, values.size());
  EXPECT_TRUE(read.empty());
  EXPECT_FALSE(cut.ok());
}

TEST(Bulk, ReadsVectorsOfPrimitivesInBothOrdersAtAnyAddress) {
  for (const Format& format : {kLittle, kBig}) {
    for (std::size_t shift = 0; shift < 3; ++shift) {
      round_trip<std::uint8_t>(format, shift);
      round_trip<char>(format, shift);
      round_trip<std::int16_t>(format, shift);
      round_trip<float>(format, shift);
      round_trip<std::int64_t>(format, shift);
      round_trip<double>(format, shift);
    }
  }
}

TEST(Bulk, ReadsVectorsOfBooleans) {
  const base::Bytes octets = {1, 0, 1, 2};
  Decoder decoder(octets, kLittle);
  std::vector<bool> read;
  get_vector(decoder, read, 3);
  EXPECT_EQ(read, (std::vector<bool>{true, false, true}));
  get_vector(decoder, read, 1);
  EXPECT_TRUE(read.empty());
  EXPECT_EQ(decoder.error().code, base::Code::bad_boolean);
}

}  // namespace
}  // namespace corbel::cdr
