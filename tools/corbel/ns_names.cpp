// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <map>
#include <stdexcept>
#include <tuple>

#include "command.hpp"
#include "corbel/base/log.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"
#include "names.hpp"
#include "ns.hpp"

namespace corbel::tool {
namespace {

using CosNaming::Binding;
using CosNaming::BindingType;
using CosNaming::Name;
using CosNaming::NamingContext;
using Traits = IDL::traits<NamingContext>;

/// Bindings asked for at a time.
constexpr std::uint32_t kBatch = 500;
constexpr std::size_t kDeepestNames = 1000;

std::vector<std::string> orb_options(const NsOptions& options) {
  std::vector<std::string> all = {"-ORBCallTimeout", std::to_string(options.timeout), "-ORBConnectTimeout",
                                  std::to_string(options.timeout)};
  all.insert(all.end(), options.orb_options.begin(), options.orb_options.end());
  return all;
}

/// Destroys the iterator when the block ends: services count them.
class Iterator {
 public:
  IDL::traits<CosNaming::BindingIterator>::ref_type reference;
  Iterator() = default;
  ~Iterator() {
    try {
      if (reference != nullptr) reference->destroy();
    } catch (const CORBA::Exception&) {  // it is the service's business then
    }
  }
  Iterator(const Iterator&) = delete;
  Iterator& operator=(const Iterator&) = delete;
};

std::string text(const Name& name) {
  return name.empty() ? "the root" : "'" + base::printable(naming::to_string(name)) + "'";
}

std::string why(const NamingContext::NotFound& exception) {
  const Name& rest = exception.rest_of_name();
  const std::string at = rest.empty() ? "it" : text({rest.front()});
  switch (exception.why()) {
    case NamingContext::NotFoundReason::not_context:
      return at + " is bound to an object, not to a context";
    case NamingContext::NotFoundReason::not_object:
      return at + " is bound to a context, not to an object";
    default:
      return "nothing is bound to " + at;
  }
}

}  // namespace

bool before(const Name& a, const Name& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return std::tie(one.id(), one.kind()) < std::tie(other.id(), other.kind());
  });
}

Names::Names(const NsOptions& options) : most_(options.most), orb_(make_orb(orb_options(options))) {
  const ObjectRef service = naming_service(orb_, options.service);
  if (service == nullptr) throw std::runtime_error("the reference of the naming service is nil");
  // Asked only if the reference does not say what it is, as that of a corbaloc does not.
  root_ = Traits::narrow(service);
  if (root_ == nullptr) throw std::runtime_error("what answers there is no naming context");
}

Names::~Names() {
  try {
    orb_->destroy();
  } catch (const CORBA::Exception&) {  // nothing is left to be done about it
  }
}

Name Names::read_name(const std::string& text) {
  if (text.empty() || text == "/") return {};
  auto name = naming::parse_name(text);
  if (!name) {
    throw std::runtime_error("'" + base::printable(text) +
                             "' is no name: ID.KIND/ID.KIND/..., where \\ stands before /, . and \\ that are meant");
  }
  return *std::move(name);
}

ObjectRef Names::resolve(const Name& name) {
  return name.empty() ? ObjectRef(root_) : root_->resolve(name);
}

ContextRef Names::context(const Name& name) {
  const ContextRef context = Traits::narrow(resolve(name));
  if (context == nullptr) throw std::runtime_error(text(name) + " is bound to an object, not to a context");
  return context;
}

void Names::count() {
  if (++counted_ > most_)
    throw std::runtime_error("there are more than " + std::to_string(most_) + " bindings (--most)");
}

void Names::each(const ContextRef& context, const std::function<bool(const Binding&)>& found) {
  CosNaming::BindingList bindings;
  Iterator iterator;
  context->list(kBatch, bindings, iterator.reference);
  for (;;) {
    for (const Binding& binding : bindings) {
      count();
      if (binding.binding_name().empty()) throw std::runtime_error("the service lists a binding without a name");
      if (!found(binding)) return;
    }
    bindings.clear();
    if (iterator.reference == nullptr || !iterator.reference->next_n(kBatch, bindings) || bindings.empty()) return;
  }
}

std::string Names::identity(const ObjectRef& object) const {
  const auto ior = ior::from_string(orb_->object_to_string(object));
  if (!ior || ior->profiles.empty()) return {};
  const auto& first = ior->profiles.front();
  const auto key = ior::object_key_of(first.tag, first.data);
  return server(object) + '\n' + (key ? std::string(base::as_text(*key)) : std::string());
}

std::string Names::server(const ObjectRef& object) const {
  const auto ior = ior::from_string(orb_->object_to_string(object));
  if (!ior || ior->profiles.empty()) return {};
  const auto& first = ior->profiles.front();
  if (const auto iiop = ior::decode_iiop_profile(first)) return iiop->host + ':' + std::to_string(iiop->port);
  if (const auto uiop = ior::decode_uiop_profile(first)) return uiop->path;
  if (const auto corbel = ior::decode_corbel_profile(first)) return corbel->endpoint;
  return {};
}

void Names::walk(const ContextRef& start, const WalkOptions& options, const std::function<void(const Entry&)>& found) {
  std::map<std::string, std::string> met = {{identity(start), ""}};
  const std::string home = server(start);
  /// The contexts to be read, the next one last, so that children follow their parents.
  std::vector<std::pair<Name, ContextRef>> todo = {{Name(), start}};
  while (!todo.empty()) {
    const auto [prefix, context] = std::move(todo.back());
    todo.pop_back();
    std::vector<std::pair<Name, ContextRef>> children;
    // In an order of our own, so that the same names give the same text whatever the service.
    CosNaming::BindingList bindings;
    each(context, [&](const Binding& binding) {
      bindings.push_back(binding);
      return true;
    });
    std::sort(bindings.begin(), bindings.end(),
              [](const Binding& a, const Binding& b) { return before(a.binding_name(), b.binding_name()); });
    for (const Binding& binding : bindings) {
      Entry entry;
      entry.name = prefix;
      entry.name.insert(entry.name.end(), binding.binding_name().begin(), binding.binding_name().end());
      entry.type = binding.binding_type();
      const bool is_context = entry.type == BindingType::ncontext;
      if (is_context || options.resolve) {
        try {
          entry.object = context->resolve(binding.binding_name());
        } catch (const CORBA::Exception& exception) {  // unbound meanwhile, or broken: the others matter, too
          entry.failure = exception._name();
        }
      }
      if (is_context && entry.object != nullptr) {
        if (entry.name.size() >= kDeepestNames) throw std::runtime_error("the contexts are nested too deeply");
        const auto [known, is_new] = met.emplace(identity(entry.object), naming::to_string(entry.name));
        if (!is_new) {
          entry.was_met = true;
          entry.same_as = known->second;
        } else if (!options.follow && server(entry.object) != home) {
          entry.elsewhere = true;
        } else {
          children.emplace_back(entry.name, Traits::unchecked_narrow(entry.object));
        }
      }
      found(entry);
    }
    todo.insert(todo.end(), std::make_move_iterator(children.rbegin()), std::make_move_iterator(children.rend()));
  }
}

int report(const std::function<int()>& work) {
  std::string said;
  try {
    return work();
  } catch (const NamingContext::NotFound& exception) {
    said = "not found: " + why(exception);
    if (exception.rest_of_name().size() > 1) said += ", in the way to " + text(exception.rest_of_name());
  } catch (const NamingContext::CannotProceed& exception) {
    said = "the naming service cannot proceed: " + text(exception.rest_of_name()) +
           " remains, in a context that it cannot reach";
  } catch (const NamingContext::InvalidName&) {
    said = "the naming service says that the name is illegal";
  } catch (const NamingContext::AlreadyBound&) {
    said = "the name is bound already (rebind replaces)";
  } catch (const NamingContext::NotEmpty&) {
    said = "the context is not empty";
  }
  std::cerr << "corbel: " << said << '\n';
  return kUserException;
}

Health ask(const ObjectRef& object) {
  if (object == nullptr) return {Health::State::gone, "nil"};
  try {
    if (object->_non_existent()) return {Health::State::gone, "the server says that there is no such object"};
  } catch (const CORBA::SystemException& exception) {
    const std::string name = exception._name();
    const std::string detail = exception.detail().empty() ? exception.what() : exception.detail();
    if (name == "OBJECT_NOT_EXIST") return {Health::State::gone, detail};
    if (status_of(exception) == kNoAnswer || name == "INV_OBJREF" || name == "NO_RESOURCES") {
      return {Health::State::unreachable, detail};
    }
    return {Health::State::alive, "answers with " + name};
  }
  return {};
}

}  // namespace corbel::tool
