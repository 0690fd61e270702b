// SPDX-License-Identifier: Apache-2.0
// What Corbel's server in the laboratory serves.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "lending_server.hpp"
#include "peers/cubes.hpp"
#include "target_server.hpp"

namespace peer {

using CubitRef = IDL::traits<Bench::Cubit>::ref_type;
using RingRef = IDL::traits<Bench::Ring>::ref_type;

class Cubit : public CORBA::servant_traits<Bench::Cubit>::base_type {
 public:
  std::uint8_t cube_octet(std::uint8_t value) override { return peer::cubed(value); }
  std::int16_t cube_short(std::int16_t value) override { return peer::cubed(value); }
  std::int32_t cube_long(std::int32_t value) override { return peer::cubed(value); }
  Bench::Many cube_struct(const Bench::Many& value) override {
    return Bench::Many(peer::cubed(value.o()), peer::cubed(value.l()), peer::cubed(value.s()));
  }
  Bench::OneOf cube_union(const Bench::OneOf& value) override {
    Bench::OneOf result;
    if (value._d() == 0) result.o(peer::cubed(value.o()));
    if (value._d() == 1) result.s(peer::cubed(value.s()));
    if (value._d() == 2) result.l(peer::cubed(value.l()));
    return result;
  }
  Bench::Octets cube_octets(const Bench::Octets& values) override { return all_cubed(values); }
  Bench::Longs cube_longs(const Bench::Longs& values) override { return all_cubed(values); }

 private:
  template <class Sequence>
  static Sequence all_cubed(const Sequence& values) {
    Sequence result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) result[i] = peer::cubed(values[i]);
    return result;
  }
};

class Ring : public CORBA::servant_traits<Bench::Ring>::base_type {
 public:
  Bench::Octets echo_octets(const Bench::Octets& data) override { return data; }
  Bench::BinStructs echo_structs(const Bench::BinStructs& data) override { return data; }
  Bench::Chars echo_chars(const Bench::Chars& data) override { return data; }
  Bench::Shorts echo_shorts(const Bench::Shorts& data) override { return data; }
  Bench::Longs echo_longs(const Bench::Longs& data) override { return data; }
  Bench::Doubles echo_doubles(const Bench::Doubles& data) override { return data; }
  std::string echo_string(const std::string& data) override { return data; }
};

class Target : public CORBA::servant_traits<Bench::Lending>::base_type {
 public:
  Target(CubitRef cubit, RingRef ring) : cubit_(std::move(cubit)), ring_(std::move(ring)) {}
  void ping() override {}
  void take_octets(const Bench::Octets& data) override { count(data); }
  void take_structs(const Bench::BinStructs& data) override { count(data); }
  void take_chars(const Bench::Chars& data) override { count(data); }
  void take_shorts(const Bench::Shorts& data) override { count(data); }
  void take_longs(const Bench::Longs& data) override { count(data); }
  void take_doubles(const Bench::Doubles& data) override { count(data); }
  void take_string(const std::string& data) override { count(data); }
  void put_octets(const Bench::Octets& data) override { count(data); }
  void put_structs(const Bench::BinStructs& data) override { count(data); }
  void put_chars(const Bench::Chars& data) override { count(data); }
  void put_shorts(const Bench::Shorts& data) override { count(data); }
  void put_longs(const Bench::Longs& data) override { count(data); }
  void put_doubles(const Bench::Doubles& data) override { count(data); }
  void put_string(const std::string& data) override { count(data); }
  void take_lent_octets(std::span<const std::uint8_t> data) override { count(data); }
  void take_lent_structs(std::span<const Bench::BinStruct> data) override { count(data); }
  void put_lent_octets(std::span<const std::uint8_t> data) override { count(data); }
  void put_lent_structs(std::span<const Bench::BinStruct> data) override { count(data); }
  std::uint64_t taken() override { return taken_; }
  void reset() override { taken_ = 0; }
  CubitRef cubes() override { return cubit_; }
  RingRef rings() override { return ring_; }

 private:
  template <class Data>
  void count(const Data& data) {
    taken_ += data.size() * sizeof(data[0]);
  }

  std::atomic<std::uint64_t> taken_{0};
  CubitRef cubit_;
  RingRef ring_;
};

}  // namespace peer
