// SPDX-License-Identifier: Apache-2.0
// corbel ns dump and load: names as JSON.
//
//   {"format": "corbel-names", "version": 1, "bindings": [
//     {"name": "a.k", "type": "context"},
//     {"name": "a.k/b", "type": "object", "reference": "IOR:..."},
//     {"name": "c", "type": "context", "same_as": "a.k"},            a context met before under that name; "": the
//     whole
//     {"name": "d", "type": "context", "reference": "IOR:..."}]}     a context of another server
//
// JSON holds UTF-8 only. A name that is none is written as "name_hex", the digits of its octets, and "same_as_hex".
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "command.hpp"
#include "corbel/base/log.hpp"
#include "json_values.hpp"
#include "names.hpp"
#include "ns.hpp"

namespace corbel::tool {
namespace {

using CosNaming::BindingType;
using CosNaming::Name;
using CosNaming::NamingContext;
using Json = nlohmann::ordered_json;
using Traits = IDL::traits<NamingContext>;

constexpr std::size_t kLargestFile = 1U << 30;

std::string read_all(const std::string& path) {
  std::ifstream file;
  if (path != "-") {
    file.open(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + ": cannot be read");
  }
  std::istream& in = path == "-" ? std::cin : file;
  std::string text;
  char block[1 << 16];
  while (in.read(block, sizeof block), in.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(in.gcount()));
    if (text.size() > kLargestFile) throw std::runtime_error(path + ": is larger than a gibibyte");
  }
  return text;
}

/// One binding to be made.
struct Wanted {
  Name name;
  BindingType type = BindingType::nobject;
  std::optional<std::string> reference;
  std::optional<Name> same_as;
};

std::optional<std::string> text_member(const Json& json, const char* name, const std::string& where) {
  const auto found = json.find(name);
  if (found == json.end()) return std::nullopt;
  if (!found->is_string()) throw std::runtime_error(where + "." + name + " is no text");
  return found->get<std::string>();
}

/// The octets that hexadecimal digits spell; nothing if they are none.
std::optional<std::string> octets_of(const std::string& digits) {
  const auto value = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string octets;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = value(digits[i]);
    const int low = value(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    octets += static_cast<char>(high << 4 | low);
  }
  return octets;
}

/// The name in that member, or in the one of octets.
std::optional<std::string> name_member(const Json& json, const std::string& member, const std::string& where) {
  auto name = text_member(json, member.c_str(), where);
  const auto digits = text_member(json, (member + "_hex").c_str(), where);
  if (!digits) return name;
  if (name) throw std::runtime_error(where + " has " + member + " and " + member + "_hex");
  name = octets_of(*digits);
  if (!name) throw std::runtime_error(where + "." + member + "_hex holds other things than hexadecimal digits");
  return name;
}

void put_name(Json& json, const std::string& member, const std::string& name) {
  try {
    const Json text(name);
    (void)text.dump();  // throws where it is not UTF-8
    json[member] = text;
  } catch (const Json::type_error&) {
    std::string digits;
    for (const char octet : name) {
      digits += "0123456789abcdef"[static_cast<unsigned char>(octet) >> 4];
      digits += "0123456789abcdef"[static_cast<unsigned char>(octet) & 15];
    }
    json[member + "_hex"] = digits;
  }
}

Wanted read_wanted(const Json& json, const std::string& where) {
  if (!json.is_object()) throw std::runtime_error(where + " is no object");
  for (const auto& [member, value] : json.items()) {
    if (member != "name" && member != "name_hex" && member != "type" && member != "reference" && member != "same_as" &&
        member != "same_as_hex" && member != "failure") {
      throw std::runtime_error(where + " has a member '" + base::printable(member) + "', which means nothing here");
    }
  }
  Wanted wanted;
  const auto name = name_member(json, "name", where);
  if (!name) throw std::runtime_error(where + " has no name");
  wanted.name = Names::read_name(*name);
  if (wanted.name.empty()) throw std::runtime_error(where + " has the name of the whole");
  const auto type = text_member(json, "type", where);
  if (type != "object" && type != "context") throw std::runtime_error(where + ".type is neither object nor context");
  wanted.type = type == "context" ? BindingType::ncontext : BindingType::nobject;
  wanted.reference = text_member(json, "reference", where);
  if (const auto same = name_member(json, "same_as", where)) wanted.same_as = Names::read_name(*same);
  if (wanted.type == BindingType::nobject && !wanted.reference && !json.contains("failure")) {
    throw std::runtime_error(where + " has no reference");
  }
  return wanted;
}

/// All of the file is understood before anything is bound.
std::vector<Wanted> read_file(const std::string& path) {
  Json json;
  try {
    json = parse_json(read_all(path));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(path + ": is no JSON: " + error.what());
  }
  if (!json.is_object() || json.value("format", Json()) != "corbel-names") {
    throw std::runtime_error(path + ": was not written by `corbel ns dump`");
  }
  if (json.value("version", Json()) != 1) throw std::runtime_error(path + ": is of a version that is not known here");
  const Json& bindings = json["bindings"];
  if (!bindings.is_array()) throw std::runtime_error(path + ": bindings is no array");
  std::vector<Wanted> all;
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    try {
      all.push_back(read_wanted(bindings[i], "bindings[" + std::to_string(i) + "]"));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path + ": " + error.what());
    }
  }
  return all;
}

class Loader {
 public:
  Loader(Names& names, ContextRef start, bool replace) : names_(names), start_(std::move(start)), replace_(replace) {}

  void load(const Wanted& wanted) {
    if (wanted.type == BindingType::ncontext && !wanted.reference && !wanted.same_as) {
      make_context(wanted.name);
      return;
    }
    ObjectRef object;
    if (wanted.same_as) {
      object = wanted.same_as->empty() ? ObjectRef(start_) : start_->resolve(*wanted.same_as);
    } else if (wanted.reference) {
      object = names_.orb()->string_to_object(*wanted.reference);
    }
    if (object == nullptr) {
      refuse(wanted.name, "has no reference");
      return;
    }
    try {
      if (wanted.type == BindingType::ncontext) {
        start_->bind_context(wanted.name, Traits::unchecked_narrow(object));
      } else {
        start_->bind(wanted.name, object);
      }
      ++bound;
    } catch (const NamingContext::AlreadyBound&) {
      settle(wanted, object);
    }
  }

  std::size_t bound = 0;
  std::size_t there = 0;
  std::size_t refused = 0;

 private:
  void refuse(const Name& name, const std::string& why) {
    ++refused;
    std::cerr << "corbel: '" << base::printable(naming::to_string(name)) << "' " << why << '\n';
  }

  void make_context(const Name& name) {
    try {
      start_->bind_new_context(name);
      ++bound;
    } catch (const NamingContext::AlreadyBound&) {
      if (Traits::narrow(start_->resolve(name)) == nullptr) {
        refuse(name, "is bound to an object, not to a context");
      } else {
        ++there;
      }
    }
  }

  /// The name is bound to something.
  void settle(const Wanted& wanted, const ObjectRef& object) {
    const ObjectRef now = start_->resolve(wanted.name);
    if (names_.orb()->object_to_string(now) == names_.orb()->object_to_string(object)) {
      ++there;
    } else if (!replace_) {
      refuse(wanted.name, "is bound to something else (--replace rebinds)");
    } else if (wanted.type == BindingType::ncontext) {
      start_->rebind_context(wanted.name, Traits::unchecked_narrow(object));
      ++bound;
    } else {
      start_->rebind(wanted.name, object);
      ++bound;
    }
  }

  Names& names_;
  const ContextRef start_;
  const bool replace_;
};

}  // namespace

int ns_dump(const NsOptions& options, const std::string& name, bool follow) {
  Names names(options);
  const ContextRef start = names.context(Names::read_name(name));
  Json json{{"format", "corbel-names"}, {"version", 1}, {"bindings", Json::array()}};
  bool whole = true;
  names.walk(start, {.resolve = true, .follow = follow}, [&](const Entry& entry) {
    Json one = Json::object();
    put_name(one, "name", naming::to_string(entry.name));
    one["type"] = entry.type == BindingType::ncontext ? "context" : "object";
    if (!entry.failure.empty()) {
      one["failure"] = entry.failure;
      whole = false;
    } else if (entry.was_met) {
      put_name(one, "same_as", entry.same_as);
    } else if (entry.type == BindingType::nobject || entry.elsewhere) {
      one["reference"] = names.orb()->object_to_string(entry.object);
    }
    json["bindings"].push_back(std::move(one));
  });
  std::cout << json.dump(1) << '\n';
  if (!whole) std::cerr << "corbel: some names could not be resolved; they are marked with 'failure'\n";
  return whole ? kDone : kUserException;
}

int ns_load(const NsOptions& options, const std::string& file, const std::string& into, bool replace) {
  const std::vector<Wanted> all = read_file(file);
  Names names(options);
  Loader loader(names, names.context(Names::read_name(into)), replace);
  for (const Wanted& wanted : all) loader.load(wanted);
  if (options.json) {
    std::cout << Json{{"bound", loader.bound}, {"already_there", loader.there}, {"refused", loader.refused}}.dump(2)
              << '\n';
  } else {
    std::cout << loader.bound << " bound, " << loader.there << " were there already, " << loader.refused
              << " refused\n";
  }
  return loader.refused == 0 ? kDone : kUserException;
}

}  // namespace corbel::tool
