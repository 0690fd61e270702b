// SPDX-License-Identifier: Apache-2.0
// Marshalling by the stubs that omniidl generates.
#include <omniORB4/CORBA.h>

#include "micro/cases.hpp"
#include "micro/meter.hpp"
#include "payload.hh"

namespace {

using namespace bench;

void fill(Payload::Node& node, int depth, CORBA::Long id) {
  node.id = id;
  node.weight = id * 0.5;
  node.name = name_of(static_cast<std::size_t>(id)).c_str();
  if (depth <= 1) return;
  node.children.length(2);
  fill(node.children[0], depth - 1, 2 * id);
  fill(node.children[1], depth - 1, 2 * id + 1);
}

template <class T>
void add(Meter& meter, const std::string& orb, const char* type, const T& value, std::size_t elements) {
  static cdrMemoryStream out;
  static cdrMemoryStream in;
  value >>= in;
  meter.add(piece("encode", type, orb), elements, [&value] {
    out.rewindPtrs();
    value >>= out;
    keep(out.bufSize());
  });
  meter.add(piece("decode", type, orb), elements, [] {
    in.rewindInputPtr();
    T decoded;
    decoded <<= in;
    keep(decoded);
  });
}

}  // namespace

int main(int argc, char** argv) try {
  Meter meter(argc, argv);
  int none = 0;
  const CORBA::ORB_var orb = CORBA::ORB_init(none, argv);
  const std::string name = std::string("omniORB ") + omniORB::versionString();
  Payload::BinStructs structs;
  structs.length(kBinStructs);
  for (CORBA::ULong i = 0; i < kBinStructs; ++i) structs[i] = {1, 'c', 2, 3, 4.5};
  Payload::Names names;
  names.length(kNames);
  for (CORBA::ULong i = 0; i < kNames; ++i) names[i] = name_of(i).c_str();
  Payload::Node root;
  fill(root, kTreeDepth, 1);
  add(meter, name, "BinStruct sequence", structs, kBinStructs);
  add(meter, name, "string list", names, kNames);
  add(meter, name, "tree of structs", root, kTreeNodes);
  meter.run();
  orb->destroy();
  return 0;
} catch (const CORBA::Exception& failure) {
  std::fprintf(stderr, "%s: %s\n", argv[0], failure._name());
  return 1;
}
