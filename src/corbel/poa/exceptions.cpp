// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "corbel/corba/references.hpp"
#include "corbel/poa/poa.hpp"

namespace PortableServer {

#define CORBEL_DEFINE_POA_EXCEPTION(NAME, SHORT)            \
  void NAME::_raise() const {                               \
    throw *this;                                            \
  }                                                         \
  const char* NAME::_rep_id() const noexcept {              \
    return _id;                                             \
  }                                                         \
  const char* NAME::_name() const noexcept {                \
    return SHORT;                                           \
  }                                                         \
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

void POA::InvalidPolicy::_raise() const {
  throw *this;
}
const char* POA::InvalidPolicy::_rep_id() const noexcept {
  return _id;
}
const char* POA::InvalidPolicy::_name() const noexcept {
  return "InvalidPolicy";
}
void POA::InvalidPolicy::_encode(corbel::cdr::Encoder& encoder) const {
  encoder.put_plain_string(_id);
  encoder.put(index_);
}
void POA::InvalidPolicy::_info(std::string& text) const {
  text += "PortableServer::POA::InvalidPolicy{index=" + std::to_string(index_) + "}";
}

void ForwardRequest::_raise() const {
  throw *this;
}
const char* ForwardRequest::_rep_id() const noexcept {
  return _id;
}
const char* ForwardRequest::_name() const noexcept {
  return "ForwardRequest";
}
void ForwardRequest::_encode(corbel::cdr::Encoder& encoder) const {
  encoder.put_plain_string(_id);
  corbel::corba::encode_reference(encoder, reference_._shared().get());
}

}  // namespace PortableServer
