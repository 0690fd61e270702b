// SPDX-License-Identifier: Apache-2.0
// An Any of a stranger, in the byte order and with the limits that the first octet chooses: extracted as every type
// there is, taken apart as a DynAny, compared. What can be extracted must be the same after another journey.
#include <cstdlib>
#include <set>

#include "corbel/dynamic/dyn_any.hpp"
#include "corbel/ior/ior.hpp"
#include "extract_any.hpp"
#include "support/plain_context.hpp"

namespace {

using namespace corbel;  // NOLINT: one small program

test::PlainContext orb;

using Link = CORBA::valuetype_reference<Extract::Link>;

/// Breaks the circles of a graph.
void forget(const Link& root) {
  std::set<Extract::Link*> seen;
  std::vector<Link> waiting{root};
  while (!waiting.empty()) {
    const Link link = std::move(waiting.back());
    waiting.pop_back();
    if (link == nullptr || !seen.insert(&*link).second) continue;
    waiting.push_back(std::exchange(link->next(), nullptr));
    for (auto& more : std::exchange(link->more(), {})) waiting.push_back(std::move(more));
  }
}
template <class T>
void forget(const T& value) {
  if constexpr (std::is_same_v<T, std::vector<Link>>) {
    for (const Link& link : value) forget(link);
  }
}

CORBA::Any received(const base::Bytes& octets, bool little) {
  cdr::Decoder decoder(octets, {.little_endian = little});
  decoder.set_context(&orb);
  CORBA::Any any;
  mapping::Codec<CORBA::Any>::decode(decoder, any);
  if (!decoder.ok()) std::abort();
  return any;
}

/// The octets of an Any that holds the value.
template <class T>
base::Bytes sent(const T& value, bool little) {
  CORBA::Any any;
  any <<= value;
  cdr::Encoder encoder({.little_endian = little});
  mapping::Codec<CORBA::Any>::encode(encoder, any);
  return encoder.ok() ? encoder.to_bytes() : base::Bytes();
}

template <class T>
void extract(const CORBA::Any& any) try {
  T value{};
  if (!(any >>= value)) return;
  const base::Bytes octets = sent(value, true);
  if (!octets.empty()) {
    T again{};
    if (!(received(octets, true) >>= again)) std::abort();
    if (sent(again, true) != octets) std::abort();
    forget(again);
  }
  forget(value);
} catch (const CORBA::SystemException&) {
  // Refused at extraction.
}

/// Looks at so many components.
void walk(const DynamicAny::DynAny::Ref& dyn, int& left) {
  const std::uint32_t count = dyn->component_count();
  for (std::uint32_t i = 0; i < count && --left > 0; ++i) {
    if (!dyn->seek(static_cast<std::int32_t>(i))) std::abort();
    walk(dyn->current_component(), left);
  }
}

void take_apart(const CORBA::Any& any) try {
  static const auto factory = CORBA::make_reference<DynamicAny::DynAnyFactory>(orb);
  const auto dyn = factory->create_dyn_any(any);
  struct End {
    const DynamicAny::DynAny::Ref& dyn;
    ~End() { dyn->destroy(); }
  } end{dyn};
  int left = 200;
  walk(dyn, left);
  cdr::Encoder encoder;
  mapping::Codec<CORBA::Any>::encode(encoder, dyn->to_any());
} catch (const CORBA::Exception&) {
  // No DynAny, or not with these components.
}

template <class... T>
void extract_as(const CORBA::Any& any) {
  (extract<T>(any), ...);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  const bool little = (data[0] & 1) != 0;
  const bool strict = (data[0] & 2) != 0;
  const cdr::Limits strictly{.max_depth = 6, .max_expansion = 4, .free_memory = 4096};
  cdr::Decoder decoder({data + 4, size - 4}, {.little_endian = little}, strict ? strictly : cdr::Limits());
  decoder.set_context(&orb);
  CORBA::Any any;
  mapping::Codec<CORBA::Any>::decode(decoder, any);
  if (!decoder.ok()) return 0;
  extract_as<Extract::Color, Extract::Grid, Extract::Node, Extract::Nodes, Extract::Point, Extract::Tree,
             Extract::Shape, Extract::Oops, Link, std::vector<Link>, CORBA::valuetype_reference<Extract::Text>,
             Extract::Names, Extract::All, Extract::Alls, CORBA::typecode_reference, std::vector<CORBA::Any>,
             std::string, CORBA::TRANSIENT, CORBA::object_reference<CORBA::Object>>(any);
  // The typedef of a fixed type is a class of its own.
  extract<Extract::Price>(any);
  take_apart(any);
  if (!(any == CORBA::Any(any))) std::abort();
  return 0;
}
