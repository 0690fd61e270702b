// SPDX-License-Identifier: Apache-2.0
// JSON as values of IDL types, as `corbel call` reads it: the first octet chooses the type, the rest is the text.
#include <cstdlib>

#include "corbel/idl/front/front.hpp"
#include "tools/corbel/json_values.hpp"

namespace {

using namespace corbel::tool;  // NOLINT: one small program

constexpr const char* kIdl = R"(module F {
  enum Colour { red, green, blue };
  typedef sequence<octet> Octets;
  typedef fixed<6,2> Money;
  typedef long Grid[2][3];
  union Choice switch (Colour) { case red: long number; case green: string text; default: Octets raw; };
  union Number switch (long) { case 1: case 2: short small; case 3: long long large; };
  struct Node;
  typedef sequence<Node> Nodes;
  struct Node { string<8> name; Nodes children; };
  valuetype Pair { public long first; public Pair second; };
  struct Basic {
    boolean flag; octet small; char letter; wchar wide; short s; unsigned short us; long l; unsigned long ul;
    long long ll; unsigned long long ull; float f; double d; string text; wstring wtext; Money price;
  };
  @bit_bound(12) bitmask Rights { read, write, @position(11) owner };
  bitset Header { bitfield<3> kind; bitfield<2>; bitfield<1, boolean> last; };
  struct Extended { Rights may; Header first; map<string, Rights> users; map<long, Money> sums; @optional string note; };
};)";

struct Reader {
  Reader() {
    auto parsed = corbel::idl::front::parse(kIdl, "fuzz.idl");
    if (parsed.model == nullptr) std::abort();
    types.add(std::move(parsed.model));
    for (const char* name : {"F::Basic", "F::Choice", "any", "F::Extended", "F::Octets", "F::Node", "F::Number",
                             "F::Pair", "F::Grid", "sequence<any>"})
      codes.push_back(types.named(name));
  }

  std::vector<std::string> words{"fuzz"};
  IDL::traits<CORBA::ORB>::ref_type orb = CORBA::ORB_init(words, "fuzz");
  IDL::traits<DynamicAny::DynAnyFactory>::ref_type factory =
      IDL::traits<DynamicAny::DynAnyFactory>::narrow(orb->resolve_initial_references("DynAnyFactory"));
  Types types{{}, factory};
  JsonValues json{orb, factory, types, JsonValues::Paths::refused};
  std::vector<CORBA::typecode_reference> codes;
};

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Reader& reader = *new Reader;
  if (size == 0) return 0;
  const CORBA::typecode_reference& type = reader.codes[data[0] % reader.codes.size()];
  Json written;
  try {
    const Json given = parse_json(std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
    if (text_of(given).find("Object") != std::string::npos) return 0;  // references may lead to the network
    written = reader.json.to_json(reader.json.from_json(given, type, "value"));
  } catch (const std::runtime_error&) {  // no JSON, or no value of the type
    return 0;
  } catch (const CORBA::SystemException&) {  // beyond what the ORB takes
    return 0;
  }
  // What was read can be written, and reads the same again.
  if (text_of(reader.json.to_json(reader.json.from_json(written, type, "value"))) != text_of(written)) std::abort();
  return 0;
}
