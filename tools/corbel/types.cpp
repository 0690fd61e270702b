// SPDX-License-Identifier: Apache-2.0
#include "types.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <stdexcept>

namespace corbel::tool {

namespace model = idl::model;
using model::TypeKind;

namespace {

/// Types that refer to each other, each to many, have TypeCodes larger than anything; IDL may come from strangers.
constexpr std::size_t kMostCopied = 100'000;
constexpr int kDeepestDeclared = 256;  // levels: what walks over them has a stack

struct Level {
  explicit Level(int& depth) noexcept : depth_(depth) { ++depth_; }
  ~Level() { --depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  int& depth_;
};

[[noreturn]] void no_type_code(const std::string& what) {
  throw std::runtime_error("no TypeCode can be made of " + what);
}

/// The unsigned integer that holds so many bits.
CORBA::typecode_reference holder(unsigned bits) {
  return bits <= 8    ? CORBA::_tc_octet
         : bits <= 16 ? CORBA::_tc_ushort
         : bits <= 32 ? CORBA::_tc_ulong
                      : CORBA::_tc_ulonglong;
}

CORBA::typecode_reference basic(TypeKind kind) {
  switch (kind) {
    case TypeKind::void_:
      return CORBA::_tc_void;
    case TypeKind::boolean:
      return CORBA::_tc_boolean;
    case TypeKind::char_:
      return CORBA::_tc_char;
    case TypeKind::wchar:
      return CORBA::_tc_wchar;
    case TypeKind::octet:
    case TypeKind::uint8:
    case TypeKind::int8:
      return CORBA::_tc_octet;
    case TypeKind::short_:
      return CORBA::_tc_short;
    case TypeKind::ushort:
      return CORBA::_tc_ushort;
    case TypeKind::long_:
      return CORBA::_tc_long;
    case TypeKind::ulong:
      return CORBA::_tc_ulong;
    case TypeKind::longlong:
      return CORBA::_tc_longlong;
    case TypeKind::ulonglong:
      return CORBA::_tc_ulonglong;
    case TypeKind::float_:
      return CORBA::_tc_float;
    case TypeKind::double_:
      return CORBA::_tc_double;
    case TypeKind::long_double:
      return CORBA::_tc_longdouble;
    case TypeKind::any:
      return CORBA::_tc_any;
    case TypeKind::type_code:
      return CORBA::_tc_TypeCode;
    case TypeKind::object:
      return CORBA::_tc_Object;
    default:
      return nullptr;
  }
}

}  // namespace

std::string shipped_idl() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / CORBEL_IDL_DATADIR;
  if (!error && fs::is_directory(installed, error)) return installed.string();
  return fs::is_directory(CORBEL_IDL_SOURCE_DIR, error) ? CORBEL_IDL_SOURCE_DIR : "";
}

Types::Types(const Files& files, IDL::traits<DynamicAny::DynAnyFactory>::ref_type values,
             std::unique_ptr<model::Model> described)
    : values_(std::move(values)) {
  idl::front::Options options;
  options.include_dirs = files.include_dirs;
  options.shipped_dir = shipped_idl();
  // A server that tells its interfaces may tell much, in many files that include each other.
  constexpr std::size_t kMostOctets = std::size_t{64} << 20;
  constexpr std::chrono::seconds kLongest(60);
  const auto begin = std::chrono::steady_clock::now();
  std::size_t octets = 0;
  for (const std::string& file : files.idl) {
    idl::front::Result result = idl::front::parse_file(file, options);
    octets += result.octets;
    if (octets > kMostOctets || std::chrono::steady_clock::now() - begin > kLongest)
      throw std::runtime_error("this is more IDL than is read: 64 MiB with what it includes, or a minute");
    for (const auto& diagnostic : result.diagnostics) std::cerr << render(diagnostic);
    if (result.model == nullptr) throw std::runtime_error(file + " cannot be used");
    if (files.comments) comments_.read(*result.model);
    add(std::move(result.model));
  }
  if (described != nullptr) add(std::move(described));
}

void Types::add(std::unique_ptr<model::Model> model) {
  collect(model->contents);
  models_.push_back(std::move(model));
}

void Types::collect(const model::Contents& contents) {
  for (const model::Declaration* declaration : contents) {
    if (declaration->kind == model::DeclarationKind::forward) continue;
    by_name_.emplace(model::scoped_name(*declaration), declaration);
    if (!declaration->repository_id.empty()) {
      names_.emplace(declaration->repository_id, model::scoped_name(*declaration));
      by_id_.emplace(name_in_id(declaration->repository_id), declaration);
    }
    if (declaration->kind == model::DeclarationKind::bitmask || declaration->kind == model::DeclarationKind::bitset) {
      bits_.emplace(declaration->repository_id, declaration);
    }
    const auto* interface = model::as<model::Interface>(declaration);
    if (interface != nullptr && interface->defined && !interface->is_implied) interfaces_.push_back(interface);
    if (const model::Contents* inside = model::contents_of(*declaration)) collect(*inside);
  }
}

const model::Declaration* Types::bits(const CORBA::TypeCode& type) const {
  if (bits_.empty() || type.kind() != CORBA::TCKind::tk_alias) return nullptr;
  const auto found = bits_.find(type.id());
  return found != bits_.end() ? found->second : bits(*type.content_type());
}

const model::Interface* Types::find_interface(std::string_view id_or_name) const {
  const std::string_view name = id_or_name.starts_with("::") ? id_or_name.substr(2) : id_or_name;
  const auto found = std::find_if(interfaces_.begin(), interfaces_.end(), [&](const model::Interface* one) {
    return one->repository_id == id_or_name || model::scoped_name(*one) == name;
  });
  return found == interfaces_.end() ? nullptr : *found;
}

CORBA::typecode_reference Types::type_code(const model::Type& type) {
  return make(type).code;
}

CORBA::typecode_reference Types::type_code(const model::Exception& exception) {
  return make_declared(exception).code;
}

std::vector<CORBA::typecode_reference> Types::value_types() {
  std::vector<CORBA::typecode_reference> found;
  for (const auto& [name, declaration] : by_name_) {
    const auto* value = model::as<model::ValueType>(declaration);
    if (value == nullptr ? model::as<model::ValueBox>(declaration) == nullptr : value->is_abstract) continue;
    try {
      found.push_back(make_declared(*declaration).code);
    } catch (const std::runtime_error&) {  // it has a member that does not leave the process
    }
  }
  return found;
}

Types::Made Types::make(const model::Type& type) {
  if (CORBA::typecode_reference code = basic(type.kind); code != nullptr) return {code};
  const auto bound = static_cast<std::uint32_t>(type.bound);
  switch (type.kind) {
    case TypeKind::string:
      return {factory_.create_string_tc(bound)};
    case TypeKind::wstring:
      return {factory_.create_wstring_tc(bound)};
    case TypeKind::fixed:
      return {factory_.create_fixed_tc(type.digits, static_cast<std::int16_t>(type.scale))};
    case TypeKind::sequence: {
      const Made element = make(*type.element);
      return {factory_.create_sequence_tc(bound, element.code), element.inside};
    }
    case TypeKind::map: {  // travels as that, and is so in the TypeCodes of generated code
      const Made key = make(*type.key);
      const Made value = make(*type.element);
      Inside inside;
      inside.add(key);
      inside.add(value);
      const auto entry = factory_.create_struct_tc("", "", {{"key", key.code}, {"value", value.code}});
      return {factory_.create_sequence_tc(bound, entry), inside};
    }
    case TypeKind::array: {
      Made made = make(*type.element);
      for (auto dimension = type.dimensions.rbegin(); dimension != type.dimensions.rend(); ++dimension) {
        made.code = factory_.create_array_tc(static_cast<std::uint32_t>(*dimension), made.code);
      }
      return made;
    }
    case TypeKind::value_base:
      return {factory_.create_value_tc("IDL:omg.org/CORBA/ValueBase:1.0", "ValueBase", CORBA::VM_NONE, nullptr, {})};
    default:
      break;
  }
  if (type.declaration == nullptr) no_type_code(model::spelling(type));
  return make_declared(*type.declaration);
}

void Types::Inside::add(const Made& made) {
  open.insert(made.inside.open.begin(), made.inside.open.end());
  if (added.insert(&*made.code).second) parts += made.inside.parts;
}

/// Each declaration once, unless what was made refers to types around it that are not finished yet: then it is good as
/// long as all of them are being made.
Types::Made Types::make_declared(const model::Declaration& declaration) {
  if (const auto known = made_.find(&declaration); known != made_.end()) return {known->second};
  if (const auto open = std::find(open_.begin(), open_.end(), &declaration); open != open_.end()) {
    const auto place = static_cast<std::size_t>(open - open_.begin());
    return {factory_.create_recursive_tc(declaration.repository_id), {{place}}};
  }
  if (const auto known = inside_.find(&declaration); known != inside_.end()) return known->second;
  const std::size_t place = open_.size();
  // An alias is no type of its own: what recurs is a struct, union or value around it.
  if (declaration.kind == model::DeclarationKind::alias) {
    const Made alias = make_new(declaration);
    if (alias.inside.open.empty()) {
      made_.emplace(&declaration, alias.code);
    } else {
      inside_.emplace(&declaration, alias);
    }
    return alias;
  }
  open_.push_back(&declaration);
  const auto close = [&] {
    open_.pop_back();
    std::erase_if(inside_, [&](const auto& one) { return one.second.inside.open.contains(place); });
  };
  Made made;
  try {
    made = make_new(declaration);
  } catch (...) {
    close();
    throw;
  }
  close();
  made.inside.open.erase(place);
  if (made.inside.open.empty()) {
    made.inside.parts = 1;
    made_.emplace(&declaration, made.code);
  } else {
    copied_ += made.inside.parts;
    if (copied_ > kMostCopied) throw std::runtime_error("the types of this IDL refer to each other too often");
    inside_.emplace(&declaration, made);
  }
  return made;
}

CORBA::TypeCodeFactory::StructMemberSeq Types::members(const std::vector<const model::Member*>& all, Inside& inside) {
  CORBA::TypeCodeFactory::StructMemberSeq found;
  for (const model::Member* member : all) {
    const Made made = make_member(*member);
    inside.add(made);
    found.push_back({member->name, made.code});
  }
  return found;
}

/// One that may be missing travels as a union that has it or nothing.
Types::Made Types::make_member(const model::Member& member) {
  Made made = make(*member.type);
  if (!member.optional) return made;
  CORBA::Any is_there;
  is_there <<= true;
  made.code = factory_.create_union_tc("", "", CORBA::_tc_boolean, {{"value", is_there, made.code}});
  return made;
}

Types::Made Types::make_new(const model::Declaration& declaration) {
  if (depth_ == kDeepestDeclared) throw std::runtime_error("the types of this IDL are nested too deeply");
  const Level level(depth_);
  const std::string& id = declaration.repository_id;
  const std::string& name = declaration.name;
  Inside inside;
  switch (declaration.kind) {
    case model::DeclarationKind::alias: {
      const Made made = make(*static_cast<const model::Alias&>(declaration).aliased);
      return {factory_.create_alias_tc(id, name, made.code), made.inside};
    }
    case model::DeclarationKind::bitset:
      return {factory_.create_alias_tc(id, name, holder(static_cast<const model::Bitset&>(declaration).width))};
    case model::DeclarationKind::bitmask:
      return {factory_.create_alias_tc(id, name, holder(static_cast<const model::Bitmask&>(declaration).bit_bound))};
    case model::DeclarationKind::enum_: {
      CORBA::TypeCodeFactory::EnumMemberSeq names;
      for (const auto* one : static_cast<const model::Enum&>(declaration).enumerators) names.push_back(one->name);
      return {factory_.create_enum_tc(id, name, names)};
    }
    case model::DeclarationKind::struct_: {
      const auto all = members(model::all_members(static_cast<const model::Struct&>(declaration)), inside);
      return {factory_.create_struct_tc(id, name, all), inside};
    }
    case model::DeclarationKind::exception: {
      const auto all = members(model::all_members(static_cast<const model::Struct&>(declaration)), inside);
      return {factory_.create_exception_tc(id, name, all), inside};
    }
    case model::DeclarationKind::union_:
      return make_union(static_cast<const model::Union&>(declaration));
    case model::DeclarationKind::value:
      return make_value(static_cast<const model::ValueType&>(declaration));
    case model::DeclarationKind::value_box: {
      const Made made = make(*static_cast<const model::ValueBox&>(declaration).boxed);
      return {factory_.create_value_box_tc(id, name, made.code), made.inside};
    }
    case model::DeclarationKind::interface_: {
      const auto& interface = static_cast<const model::Interface&>(declaration);
      if (interface.is_abstract) return {factory_.create_abstract_interface_tc(id, name)};
      if (interface.is_local) return {factory_.create_local_interface_tc(id, name)};
      return {factory_.create_interface_tc(id, name)};
    }
    default:
      no_type_code(std::string(model::kind_name(declaration)) + " " + model::scoped_name(declaration));
  }
}

Types::Made Types::make_value(const model::ValueType& declared) {
  Inside inside;
  CORBA::typecode_reference base;
  if (declared.concrete_base != nullptr) {
    const Made made = make_declared(*declared.concrete_base);
    inside.add(made);
    base = made.code;
  }
  CORBA::TypeCodeFactory::ValueMemberSeq all;
  for (const model::Member& member : declared.state) {
    const Made made = make_member(member);
    inside.add(made);
    all.push_back({member.name, made.code, member.is_public ? CORBA::PUBLIC_MEMBER : CORBA::PRIVATE_MEMBER});
  }
  const CORBA::ValueModifier modifier = declared.is_custom        ? CORBA::VM_CUSTOM
                                        : declared.is_abstract    ? CORBA::VM_ABSTRACT
                                        : declared.is_truncatable ? CORBA::VM_TRUNCATABLE
                                                                  : CORBA::VM_NONE;
  return {factory_.create_value_tc(declared.repository_id, declared.name, modifier, base, all), inside};
}

}  // namespace corbel::tool
