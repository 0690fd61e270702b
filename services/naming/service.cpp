// SPDX-License-Identifier: Apache-2.0
#include "service.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/orb/statistics.hpp"
#include "iterators.hpp"
#include "naming_context.hpp"

namespace corbel::naming {
namespace {

using PortableServer::IdAssignmentPolicyValue;
using PortableServer::IdUniquenessPolicyValue;
using PortableServer::LifespanPolicyValue;
using PortableServer::RequestProcessingPolicyValue;
using PortableServer::ServantRetentionPolicyValue;

constexpr std::string_view kPrefix = "IOR:";
constexpr const char* kDigits = "0123456789abcdef";

/// An adapter that keeps nothing of the objects that requests come for.
Service::PoaRef make_adapter(const Service::PoaRef& root, const std::string& name, LifespanPolicyValue lifespan,
                             RequestProcessingPolicyValue processing) {
  return root->create_POA(
      name, root->the_POAManager(),
      {root->create_lifespan_policy(lifespan), root->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID),
       root->create_id_uniqueness_policy(IdUniquenessPolicyValue::MULTIPLE_ID),
       root->create_servant_retention_policy(ServantRetentionPolicyValue::NON_RETAIN),
       root->create_request_processing_policy(processing)});
}

unsigned digit(char c) {
  return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
}

/// The octets of a reference are those that its stringified form writes as digits; half the size.
std::string octets_of(const std::string& ior) {
  std::string octets;
  octets.reserve((ior.size() - kPrefix.size()) / 2);
  for (std::size_t i = kPrefix.size(); i + 1 < ior.size(); i += 2) {
    octets += static_cast<char>(digit(ior[i]) << 4 | digit(ior[i + 1]));
  }
  return octets;
}

std::string ior_of(const std::string& octets) {
  std::string ior(kPrefix);
  ior.reserve(kPrefix.size() + 2 * octets.size());
  for (const char octet : octets) {
    ior += kDigits[static_cast<unsigned char>(octet) >> 4];
    ior += kDigits[static_cast<unsigned char>(octet) & 15];
  }
  return ior;
}

/// The number behind the prefix of an object id or key; nothing if it is none of ours.
std::optional<ContextId> number_behind(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  ContextId context = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + prefix.size(), end, context);
  return error == std::errc() && stopped == end && context > 0 ? std::optional(context) : std::nullopt;
}

std::string_view text_of(const PortableServer::ObjectId& id) {
  return {reinterpret_cast<const char*>(id.data()), id.size()};
}

/// The object key of a reference; empty if it has none that can be read.
std::string key_of(const std::string& reference) {
  const auto ior = ior::from_string(reference);
  if (!ior || ior->profiles.empty()) return {};
  const auto key = ior::object_key_of(ior->profiles.front().tag, ior->profiles.front().data);
  return key ? std::string(base::as_text(*key)) : std::string();
}

/// Sends those who come by corbaloc:...:/NameService on to the root, by a reference of that moment.
class Entrance final : public PortableServer::ServantLocator {
 public:
  explicit Entrance(Service& service) noexcept : service_(service) {}
  IDL::traits<PortableServer::Servant>::ref_type preinvoke(const PortableServer::ObjectId&, Service::PoaRef,
                                                           const std::string&, Cookie&) override {
    throw PortableServer::ForwardRequest(service_.root());
  }
  void postinvoke(const PortableServer::ObjectId&, Service::PoaRef, const std::string&, Cookie,
                  IDL::traits<PortableServer::Servant>::ref_type) override {}

 private:
  Service& service_;
};

/// Other services may be silent: half of the threads at most wait for them, so that the names of this one are found.
ServiceLimits within_threads(ServiceLimits limits, CORBA::ORB& orb) {
  const auto half = static_cast<int>(std::max(corbel::orb::statistics(orb).most_threads / 2, 1U));
  limits.foreign_calls = std::min(limits.foreign_calls, half);
  return limits;
}

}  // namespace

Service::Service(OrbRef orb, Store& store, ServiceLimits limits)
    : orb_(std::move(orb)),
      store_(store),
      limits_(within_threads(limits, *orb_)),
      id_prefix_(hex(store.identity()) + "/") {
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
  current_ = IDL::traits<PortableServer::Current>::narrow(orb_->resolve_initial_references("POACurrent"));
  contexts_ =
      make_adapter(root, "naming", LifespanPolicyValue::PERSISTENT, RequestProcessingPolicyValue::USE_DEFAULT_SERVANT);
  const PoaRef iterators = make_adapter(root, "iterators", LifespanPolicyValue::TRANSIENT,
                                        RequestProcessingPolicyValue::USE_DEFAULT_SERVANT);
  iterators_ = std::make_unique<Iterators>(iterators, current_, store_, limits_);
  contexts_->set_servant(CORBA::make_reference<NamingContextServant>(*this));
  iterators->set_servant(CORBA::make_reference<BindingIteratorServant>(*iterators_));
  ObjectRef entrance = own_reference(kRoot);
  if (store_.shared()) {
    const PoaRef adapter = make_adapter(root, "entrance", LifespanPolicyValue::PERSISTENT,
                                        RequestProcessingPolicyValue::USE_SERVANT_MANAGER);
    adapter->set_servant_manager(CORBA::make_reference<Entrance>(*this));
    entrance = adapter->create_reference_with_id(PortableServer::string_to_ObjectId("root"),
                                                 std::string(CosNaming::NamingContextExt::_interface_id));
  }
  orb_->register_initial_reference("NameService", entrance);
  root->the_POAManager()->activate();
  key_prefix_ = key_of(orb_->object_to_string(own_reference(kRoot)));
  if (!key_prefix_.empty()) key_prefix_.pop_back();  // the root's number
}

Service::~Service() = default;

PortableServer::ObjectId Service::object_id(ContextId context) const {
  return PortableServer::string_to_ObjectId(id_prefix_ + std::to_string(context));
}

ContextId Service::current() {
  const auto context = number_behind(text_of(current_->get_object_id()), id_prefix_);
  if (!context) {
    throw CORBA::OBJECT_NOT_EXIST(0, CORBA::COMPLETED_NO, "the reference was made with another database of names");
  }
  return *context;
}

Service::ObjectRef Service::own_reference(ContextId context) {
  return contexts_->create_reference_with_id(object_id(context),
                                             std::string(CosNaming::NamingContextExt::_interface_id));
}

IDL::traits<CosNaming::NamingContextExt>::ref_type Service::reference(ContextId context) {
  std::shared_ptr<const std::vector<Address>> addresses;
  {
    const std::lock_guard lock(addresses_mutex_);
    addresses = addresses_;
  }
  ObjectRef made = own_reference(context);
  if (addresses != nullptr && !addresses->empty()) {
    made = orb_->string_to_object(with_addresses(orb_->object_to_string(made), *addresses));
  }
  return IDL::traits<CosNaming::NamingContextExt>::unchecked_narrow(made);
}

std::vector<Address> Service::own_addresses() {
  std::vector<Address> found;
  const auto ior = ior::from_string(orb_->object_to_string(own_reference(kRoot)));
  if (!ior) return found;
  for (const auto& profile : ior->profiles) {
    const auto body = ior::decode_iiop_profile(profile);
    if (!body || body->port == 0) continue;  // by other transports
    found.push_back({body->host, body->port});
    for (const auto& component : body->components) {
      if (const auto other = ior::decode_alternate_address(component)) found.push_back({other->host, other->port});
    }
  }
  return found;
}

void Service::set_addresses(std::vector<Address> addresses) {
  const std::vector<Address> own = own_addresses();
  std::vector<Address> others;
  for (auto& each : addresses) {
    const auto among = [&](const std::vector<Address>& list) {
      return std::find(list.begin(), list.end(), each) != list.end();
    };
    if (others.size() < kMostAddresses && !among(own) && !among(others)) others.push_back(std::move(each));
  }
  auto made = std::make_shared<const std::vector<Address>>(std::move(others));
  const std::lock_guard lock(addresses_mutex_);
  addresses_ = std::move(made);
}

/// As TAG_ALTERNATE_IIOP_ADDRESS in the IIOP profile: keys are the same with all members, and all ORBs know it.
std::string Service::with_addresses(const std::string& reference, const std::vector<Address>& addresses) const {
  auto ior = ior::from_string(reference);
  if (!ior) return reference;
  for (auto& profile : ior->profiles) {
    if (const auto body = ior::decode_iiop_profile(profile); !body || body->port == 0) continue;
    for (const Address& each : addresses) {
      ior::add_component(profile, ior::encode_alternate_address({each.host, each.port}));
    }
    break;
  }
  return ior::to_string(*ior);
}

std::optional<ContextId> Service::context_of(const ObjectRef& object) const {
  // Whoever of those that share the store has made the reference.
  if (store_.shared()) return number_behind(key_of(orb_->object_to_string(object)), key_prefix_);
  try {
    return number_behind(text_of(contexts_->reference_to_id(object)), id_prefix_);
  } catch (const PortableServer::POA::WrongAdapter&) {  // another service's
    return std::nullopt;
  }
}

Bound Service::bound(const ObjectRef& object, CosNaming::BindingType type) {
  if (object == nullptr) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "a name cannot be bound to nil");
  if (type == CosNaming::BindingType::ncontext) {
    if (const auto context = context_of(object)) return {type, *context, {}};
  }
  return {type, 0, octets_of(orb_->object_to_string(object))};
}

Service::ObjectRef Service::object(const Bound& bound) {
  if (bound.child != 0) return reference(bound.child);
  return orb_->string_to_object(ior_of(bound.reference));
}

}  // namespace corbel::naming
