// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "corbel/corba/define_exception.hpp"
#include "corbel/corba/references.hpp"
#include "corbel/poa/poa.hpp"

namespace PortableServer {

#define CORBEL_DEFINE_POA_EXCEPTION(NAME, SHORT)            \
  CORBEL_DEFINE_EXCEPTION_NAMES(NAME, SHORT)                \
  void NAME::_encode(corbel::cdr::Encoder& encoder) const { \
    encoder.put_plain_string(_id);                          \
  }
CORBEL_DEFINE_POA_EXCEPTION(POA::AdapterAlreadyExists, "AdapterAlreadyExists")
CORBEL_DEFINE_POA_EXCEPTION(POA::AdapterNonExistent, "AdapterNonExistent")
CORBEL_DEFINE_POA_EXCEPTION(POA::NoServant, "NoServant")
CORBEL_DEFINE_POA_EXCEPTION(POA::ObjectAlreadyActive, "ObjectAlreadyActive")
CORBEL_DEFINE_POA_EXCEPTION(POA::ObjectNotActive, "ObjectNotActive")
CORBEL_DEFINE_POA_EXCEPTION(POA::ServantAlreadyActive, "ServantAlreadyActive")
CORBEL_DEFINE_POA_EXCEPTION(POA::ServantNotActive, "ServantNotActive")
CORBEL_DEFINE_POA_EXCEPTION(POA::WrongAdapter, "WrongAdapter")
CORBEL_DEFINE_POA_EXCEPTION(POA::WrongPolicy, "WrongPolicy")
CORBEL_DEFINE_POA_EXCEPTION(POAManager::AdapterInactive, "AdapterInactive")
CORBEL_DEFINE_POA_EXCEPTION(POAManagerFactory::ManagerAlreadyExists, "ManagerAlreadyExists")
CORBEL_DEFINE_POA_EXCEPTION(Current::NoContext, "NoContext")
#undef CORBEL_DEFINE_POA_EXCEPTION

CORBEL_DEFINE_EXCEPTION_NAMES(POA::InvalidPolicy, "InvalidPolicy")
void POA::InvalidPolicy::_encode(corbel::cdr::Encoder& encoder) const {
  encoder.put_plain_string(_id);
  encoder.put(index_);
}
void POA::InvalidPolicy::_info(std::string& text) const {
  text += "PortableServer::POA::InvalidPolicy{index=" + std::to_string(index_) + "}";
}

CORBEL_DEFINE_EXCEPTION_NAMES(ForwardRequest, "ForwardRequest")
void ForwardRequest::_encode(corbel::cdr::Encoder& encoder) const {
  encoder.put_plain_string(_id);
  corbel::corba::encode_reference(encoder, reference_._shared().get());
}

}  // namespace PortableServer
