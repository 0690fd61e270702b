// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/poa/current.hpp"

namespace corbel::poa {

/// POACurrent: looks at the calling thread's innermost Upcall.
class Current final : public PortableServer::Current {
 public:
  IDL::traits<PortableServer::POA>::ref_type get_POA() override;
  PortableServer::ObjectId get_object_id() override;
  IDL::traits<CORBA::Object>::ref_type get_reference() override;
  IDL::traits<PortableServer::Servant>::ref_type get_servant() override;
  bool _static_is_a(std::string_view repository_id) const noexcept override;
};

}  // namespace corbel::poa
