// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/back/cpp11/library.hpp"

#include <functional>

#include "corbel/idl/passes/library.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

using model::as;
using passes::LibraryPart;

constexpr std::string_view kCorba = "corbel/mapping/corba_types.hpp";
constexpr std::string_view kCorbaDynamic = "corbel/dynamic/corba_types.hpp";

std::string_view header_of(LibraryPart part) {
  switch (part) {
    case LibraryPart::corba:
      return kCorba;
    case LibraryPart::corba_dynamic:
      return kCorbaDynamic;
    case LibraryPart::portable_server:
      return "corbel/dynamic/portable_server_types.hpp";
    case LibraryPart::dynamic_any:
      return "corbel/dynamic/dyn_any_types.hpp";
    case LibraryPart::iop:
      return "corbel/dynamic/iop_types.hpp";
    case LibraryPart::asynchronous:
      return "corbel/mapping/ami.hpp";
    case LibraryPart::polling:
      return "corbel/mapping/poller.hpp";
    case LibraryPart::messaging:
      return "corbel/dynamic/messaging_types.hpp";
    case LibraryPart::real_time:
      return "corbel/mapping/rtcorba_natives.hpp";
  }
  return {};
}

/// Everything that the declaration itself mentions.
void for_each_mention(const model::Declaration& declaration,
                      const std::function<void(const model::Declaration&)>& visit) {
  const std::function<void(const model::Type&)> with_parts = [&](const model::Type& type) {
    if (type.declaration != nullptr) visit(*type.declaration);
    if (type.element != nullptr) with_parts(*type.element);
    if (type.key != nullptr) with_parts(*type.key);
  };
  const auto all = [&](const auto& list) {
    for (const auto* each : list) visit(*each);
  };
  model::for_each_type(declaration, with_parts);
  if (const auto* interface = as<model::Interface>(&declaration)) all(interface->bases);
  if (const auto* operation = as<model::Operation>(&declaration)) all(operation->raises);
  if (const auto* attribute = as<model::Attribute>(&declaration)) {
    all(attribute->get_raises);
    all(attribute->set_raises);
  }
}

}  // namespace

std::set<std::string> any_headers(const std::set<std::string>& headers) {
  // The others have TypeCodes and codecs together.
  return headers.contains(std::string(kCorba)) ? std::set{std::string(kCorbaDynamic)} : std::set<std::string>();
}

std::string_view library_header(const model::Declaration& declaration) {
  const auto part = passes::library_part(declaration);
  return part ? header_of(*part) : std::string_view();
}

bool is_library_reference(const model::Declaration& native) {
  const std::string name = scoped_name(native);
  return name == "CORBA::AbstractBase" || name == "PortableServer::Servant";
}

std::set<std::string> library_headers(const model::Model& model) {
  std::set<std::string> included;
  const auto include = [&](const model::Declaration& declaration) {
    if (const auto header = library_header(declaration); !header.empty()) included.emplace(header);
  };
  model::for_all(model.contents, [&](const model::Declaration& declaration) {
    if (as<model::Module>(&declaration) != nullptr) return;
    if (declaration.in_main_file) {
      for_each_mention(declaration, include);
    } else if (declaration.where.file == 0) {
      include(declaration);
    }
  });
  return included;
}

}  // namespace corbel::idl::back::cpp11
