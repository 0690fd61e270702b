// SPDX-License-Identifier: Apache-2.0
#include "servant.hpp"

#include <cstring>
#include <stdexcept>

#include "constants.hpp"

namespace interop {

SuiteServant::SuiteServant(CORBA::ORB_ptr orb, PortableServer::POA_ptr poa, PortableServer::POA_ptr forwarding_poa)
    : orb_(CORBA::ORB::_duplicate(orb)),
      poa_(PortableServer::POA::_duplicate(poa)),
      forwarding_poa_(PortableServer::POA::_duplicate(forwarding_poa)) {}

char* SuiteServant::name() {
  return CORBA::string_dup("suite");
}

char* SuiteServant::mixed(CORBA::Octet a, CORBA::Double b, CORBA::Char c, CORBA::LongLong d, CORBA::Boolean e,
                          CORBA::Short f, const char* g, CORBA::Long h) {
  return CORBA::string_dup(render_mixed(a, b, c, d, e, f, g, h).c_str());
}

char* SuiteServant::constants() {
  return CORBA::string_dup(constants_text().c_str());
}

Interop::OctetSeq* SuiteServant::twist_octets(const Interop::OctetSeq& a) {
  Interop::OctetSeq_var out = new Interop::OctetSeq(a);
  twist(out.inout());
  return out._retn();
}

Interop::StringSeq* SuiteServant::twist_strings(const Interop::StringSeq& a) {
  Interop::StringSeq_var out = new Interop::StringSeq(a);
  twist(out.inout());
  return out._retn();
}

Interop::BinSeq* SuiteServant::twist_bins(const Interop::BinSeq& a) {
  Interop::BinSeq_var out = new Interop::BinSeq(a);
  twist(out.inout());
  return out._retn();
}

char* SuiteServant::twist_text(const char* a) {
  return twisted_text(a);
}

CORBA::ULongLong SuiteServant::sum_octets(const Interop::OctetSeq& a) {
  CORBA::ULongLong sum = 0;
  for (CORBA::ULong i = 0; i < a.length(); ++i) sum += a[i];
  return sum;
}

Interop::OctetSeq* SuiteServant::make_octets(CORBA::ULong count) {
  Interop::OctetSeq_var out = new Interop::OctetSeq(count);
  out->length(count);
  for (CORBA::ULong i = 0; i < count; ++i) out[i] = static_cast<CORBA::Octet>(i * 7 + 3);
  return out._retn();
}

CORBA::Long SuiteServant::raise_user(CORBA::Long which, CORBA::String_out note) {
  note = CORBA::string_dup("nothing raised");
  if (which == 1) throw Interop::Empty();
  if (which == 2) {
    Interop::LongSeq values;
    values.length(3);
    for (CORBA::ULong i = 0; i < 3; ++i) values[i] = static_cast<CORBA::Long>(i + 1);
    throw Interop::Detail("because", -7, Interop::green, values);
  }
  if (which == 3) throw Interop::Renamed((1ull << 40) + 1);
  return which;
}

void SuiteServant::raise_unlisted() {
  throw Interop::Unlisted(5);
}
void SuiteServant::raise_foreign() {
  throw std::runtime_error("not a CORBA exception");
}

void SuiteServant::raise_system(const char* name, CORBA::ULong minor, CORBA::ULong completed) {
  const CORBA::CompletionStatus status[] = {CORBA::COMPLETED_YES, CORBA::COMPLETED_NO, CORBA::COMPLETED_MAYBE};
#define RAISE_IF(exception) \
  if (std::strcmp(name, #exception) == 0) throw CORBA::exception(minor, status[completed % 3]);
  OMNIORB_FOR_EACH_SYS_EXCEPTION(RAISE_IF)
#undef RAISE_IF
}

void SuiteServant::oversized(CORBA::Long count, Interop::BoundedSeq_out c) {
  Interop::BoundedSeq_var out = new Interop::BoundedSeq;
  out->length(static_cast<CORBA::ULong>(count));  // BAD_PARAM beyond the bound
  for (CORBA::ULong i = 0; i < out->length(); ++i) out[i] = static_cast<CORBA::Short>(i);
  c = out._retn();
}

Interop::Node_ptr SuiteServant::echo_node(Interop::Node_ptr a, Interop::Node_ptr& b, Interop::Node_out c) {
  c = b;  // the reference moves from b to c
  b = Interop::Node::_duplicate(a);
  return Interop::Node::_duplicate(a);
}

CORBA::Object_ptr SuiteServant::echo_object(CORBA::Object_ptr a, CORBA::Object_ptr& b, CORBA::Object_out c) {
  c = b;
  b = CORBA::Object::_duplicate(a);
  return CORBA::Object::_duplicate(a);
}

Interop::NodeSeq* SuiteServant::echo_node_seq(const Interop::NodeSeq& a, Interop::NodeSeq& b, Interop::NodeSeq_out c) {
  return echoed_new<Interop::NodeSeq>(a, b, c);
}

Interop::Link* SuiteServant::echo_link(const Interop::Link& a, Interop::Link& b, Interop::Link_out c) {
  Interop::Link* out = new Interop::Link(b);
  twist(out->name);
  c = out;
  b = a;
  return new Interop::Link(a);
}

Interop::Node_ptr SuiteServant::make_node(const char* name) {
  PortableServer::Servant_var<NodeServant> servant = new NodeServant(name);
  PortableServer::ObjectId_var id = poa_->activate_object(servant);
  CORBA::Object_var object = poa_->id_to_reference(id);
  return Interop::Node::_narrow(object);
}

void SuiteServant::destroy_node(Interop::Node_ptr which) {
  PortableServer::ObjectId_var id = poa_->reference_to_id(which);
  poa_->deactivate_object(id);
}

Interop::Node_ptr SuiteServant::forwarded() {
  PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId("elsewhere");
  CORBA::Object_var object = forwarding_poa_->create_reference_with_id(id, Interop::Node::_PD_repoId);
  return Interop::Node::_narrow(object);
}

char* SuiteServant::name_of(Interop::Node_ptr which) {
  return CORBA::is_nil(which) ? CORBA::string_dup("nil") : which->name();
}

char* SuiteServant::call_back(Interop::Callback_ptr target, const char* text, CORBA::Long depth) {
  return target->notify(("[" + std::string(text) + "]").c_str(), depth);
}

void SuiteServant::poke_back(Interop::Callback_ptr target, CORBA::Long times) {
  for (CORBA::Long i = 0; i < times; ++i) target->poke(1);
}

void SuiteServant::fire_text(const char* text, const Interop::OctetSeq& data) {
  fired_ += static_cast<CORBA::LongLong>(std::strlen(text)) + data.length();
}

}  // namespace interop
