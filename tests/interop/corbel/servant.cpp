// SPDX-License-Identifier: Apache-2.0
#include "servant.hpp"

#include <cstring>
#include <numeric>
#include <stdexcept>

#include "constants.hpp"

namespace interop {

SuiteServant::SuiteServant(OrbRef orb, PoaRef poa, PoaRef forwarding_poa)
    : orb_(std::move(orb)), poa_(std::move(poa)), forwarding_poa_(std::move(forwarding_poa)) {}

std::string SuiteServant::mixed(std::uint8_t a, double b, char c, std::int64_t d, bool e, std::int16_t f,
                                const std::string& g, std::int32_t h) {
  return render_mixed(a, b, c, d, e, f, g, h);
}

std::string SuiteServant::constants() {
  return constants_text();
}

Interop::OctetSeq SuiteServant::twist_octets(const Interop::OctetSeq& a) {
  Interop::OctetSeq out = a;
  twist(out);
  return out;
}

Interop::StringSeq SuiteServant::twist_strings(const Interop::StringSeq& a) {
  Interop::StringSeq out = a;
  twist(out);
  return out;
}

Interop::BinSeq SuiteServant::twist_bins(const Interop::BinSeq& a) {
  Interop::BinSeq out = a;
  twist(out);
  return out;
}

std::string SuiteServant::twist_text(const std::string& a) {
  std::string out = a;
  twist(out);
  return out;
}

std::uint64_t SuiteServant::sum_octets(const Interop::OctetSeq& a) {
  return std::accumulate(a.begin(), a.end(), std::uint64_t{0});
}

Interop::OctetSeq SuiteServant::make_octets(std::uint32_t count) {
  Interop::OctetSeq out(count);
  for (std::uint32_t i = 0; i < count; ++i) out[i] = static_cast<std::uint8_t>(i * 7 + 3);
  return out;
}

std::int32_t SuiteServant::raise_user(std::int32_t which, std::string& note) {
  note = "nothing raised";
  if (which == 1) throw Interop::Empty();
  if (which == 2) throw Interop::Detail("because", -7, Interop::Colour::green, {1, 2, 3});
  if (which == 3) throw Interop::Renamed((1ULL << 40) + 1);
  return which;
}

void SuiteServant::raise_foreign() {
  throw std::runtime_error("not a CORBA exception");
}

void SuiteServant::raise_system(const std::string& name, std::uint32_t minor, std::uint32_t completed) {
  const auto status = static_cast<CORBA::CompletionStatus>(completed % 3);
#define RAISE_IF(exception) \
  if (name == #exception) throw CORBA::exception(minor, status);
  CORBEL_SYSTEM_EXCEPTIONS(RAISE_IF)
#undef RAISE_IF
}

void SuiteServant::oversized(std::int32_t count, Interop::BoundedSeq& c) {
  c.resize(static_cast<std::size_t>(count));
  std::iota(c.begin(), c.end(), std::int16_t{0});
}

NodeRef SuiteServant::make_node(const std::string& name) {
  const auto id = poa_->activate_object(CORBA::make_reference<NodeServant>(name));
  return IDL::traits<Interop::Node>::narrow(poa_->id_to_reference(id));
}

void SuiteServant::destroy_node(NodeRef which) {
  poa_->deactivate_object(poa_->reference_to_id(which));
}

NodeRef SuiteServant::forwarded() {
  const auto id = PortableServer::string_to_ObjectId("elsewhere");
  const ObjectRef object = forwarding_poa_->create_reference_with_id(id, std::string(Interop::Node::_interface_id));
  return IDL::traits<Interop::Node>::narrow(object);
}

std::string SuiteServant::call_back(CallbackRef target, const std::string& text, std::int32_t depth) {
  return target->notify("[" + text + "]", depth);
}

void SuiteServant::poke_back(CallbackRef target, std::int32_t times) {
  for (std::int32_t i = 0; i < times; ++i) target->poke(1);
}

void SuiteServant::fire_text(const std::string& text, const Interop::OctetSeq& data) {
  fired_ += static_cast<std::int64_t>(text.size() + data.size());
}

}  // namespace interop
