// SPDX-License-Identifier: Apache-2.0
#include "corbel_reflection.hpp"

#include <algorithm>
#include <vector>

#include "Reflection_server.hpp"

namespace corbel::reflection {
namespace {

std::vector<File>& all() {
  static std::vector<File> files;
  return files;
}

class Reflection final : public virtual CORBA::servant_traits<CorbelReflection::Reflection>::base_type {
 public:
  CorbelReflection::FileList files() override {
    CorbelReflection::FileList files;
    for (const File& file : all()) {
      files.emplace_back(std::string(file.path), CorbelReflection::OctetList(file.text.begin(), file.text.end()),
                         file.is_root);
    }
    return files;
  }
};

}  // namespace

bool add(const File& file) {
  const auto known = std::find_if(all().begin(), all().end(), [&](const File& one) { return one.path == file.path; });
  if (known != all().end()) {
    known->is_root = known->is_root || file.is_root;
    return false;
  }
  all().push_back(file);
  return true;
}

void serve(const IDL::traits<CORBA::ORB>::ref_type& orb) {
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  const auto servant = CORBA::make_reference<Reflection>();
  orb->register_initial_reference("CorbelReflection", root->servant_to_reference(servant));
}

}  // namespace corbel::reflection
