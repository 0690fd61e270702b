// SPDX-License-Identifier: Apache-2.0
// corbel describe: what can be called, as IDL. corbel list: the names of that.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "command.hpp"
#include "described_types.hpp"
#include "repository.hpp"

namespace corbel::tool {
namespace {

namespace model = idl::model;

std::string raises_text(const char* word, const std::vector<const model::Exception*>& raised) {
  std::string text;
  for (const auto* one : raised) text += (text.empty() ? "" : ", ") + model::scoped_name(*one);
  return text.empty() ? "" : std::string(" ") + word + " (" + text + ")";
}

void print_operation(const model::Operation& operation) {
  std::cout << "  " << (operation.oneway ? "oneway " : "") << model::spelling(*operation.result) << ' '
            << operation.name << '(';
  bool first = true;
  for (const auto& parameter : operation.parameters) {
    const char* const direction = parameter.direction == model::Direction::in    ? "in "
                                  : parameter.direction == model::Direction::out ? "out "
                                                                                 : "inout ";
    std::cout << (first ? "" : ", ") << direction << model::spelling(*parameter.type) << ' ' << parameter.name;
    first = false;
  }
  std::cout << ')' << raises_text("raises", operation.raises) << ";\n";
}

void print_interface(const model::Interface& interface, const Comments& comments) {
  print_comment(std::cout, comments.of(&interface), "");
  std::cout << "interface " << model::scoped_name(interface);
  const char* separator = " : ";
  for (const auto* base : interface.bases) {
    std::cout << separator << model::scoped_name(*base);
    separator = ", ";
  }
  std::cout << " {  // " << interface.repository_id << '\n';
  for (const model::Interface* one : with_ancestors(interface)) {
    if (one != &interface && !one->contents.empty()) std::cout << "  // from " << model::scoped_name(*one) << '\n';
    for (const auto* declaration : one->contents) {
      const auto* const operation = model::as<model::Operation>(declaration);
      const auto* const attribute = model::as<model::Attribute>(declaration);
      if (operation != nullptr || attribute != nullptr) print_comment(std::cout, comments.of(declaration), "  ");
      if (operation != nullptr) print_operation(*operation);
      if (attribute != nullptr) {
        std::cout << "  " << (attribute->readonly ? "readonly " : "") << "attribute "
                  << model::spelling(*attribute->type) << ' ' << attribute->name
                  << raises_text(attribute->readonly ? "raises" : "getraises", attribute->get_raises)
                  << raises_text("setraises", attribute->set_raises) << ";\n";
      }
    }
  }
  std::cout << "};\n";
}

Json names_of(const std::vector<const model::Exception*>& raised) {
  Json names = Json::array();
  for (const auto* one : raised) names.push_back(model::scoped_name(*one));
  return names;
}

Json callable_json(const model::Operation& operation) {
  Json json = {{"name", operation.name},
               {"kind", "operation"},
               {"oneway", operation.oneway},
               {"result", model::spelling(*operation.result)}};
  json["parameters"] = Json::array();
  for (const auto& parameter : operation.parameters) {
    const char* const direction = parameter.direction == model::Direction::in    ? "in"
                                  : parameter.direction == model::Direction::out ? "out"
                                                                                 : "inout";
    json["parameters"].push_back(
        {{"direction", direction}, {"type", model::spelling(*parameter.type)}, {"name", parameter.name}});
  }
  json["raises"] = names_of(operation.raises);
  return json;
}

Json callable_json(const model::Attribute& attribute) {
  return {{"name", attribute.name},
          {"kind", "attribute"},
          {"readonly", attribute.readonly},
          {"type", model::spelling(*attribute.type)},
          {"getraises", names_of(attribute.get_raises)},
          {"setraises", names_of(attribute.set_raises)}};
}

/// What print_interface() prints, and the types.
Json interface_json(const model::Interface& interface, const Comments& comments) {
  Json json = {{"name", model::scoped_name(interface)}, {"id", interface.repository_id}};
  add_comment(json, comments.of(&interface));
  json["bases"] = Json::array();
  for (const auto* base : interface.bases) json["bases"].push_back(model::scoped_name(*base));
  json["contents"] = Json::array();
  for (const model::Interface* one : with_ancestors(interface)) {
    for (const auto* declaration : one->contents) {
      const auto* const operation = model::as<model::Operation>(declaration);
      const auto* const attribute = model::as<model::Attribute>(declaration);
      if (operation == nullptr && attribute == nullptr) continue;
      Json callable = operation != nullptr ? callable_json(*operation) : callable_json(*attribute);
      callable["interface"] = model::scoped_name(*one);
      add_comment(callable, comments.of(declaration));
      json["contents"].push_back(std::move(callable));
    }
  }
  json["types"] = Json::array();
  for (const auto* type : types_used(interface)) json["types"].push_back(type_json(*type, comments));
  return json;
}

struct DescribeArguments {
  std::vector<std::string> given;  ///< a reference, further IDL files
  std::string reference;
  std::string interface;
  Files files;
};

/// Finds the reference among the words that were given. One --idl takes one file, else it would take a reference behind
/// it, too; further words that end in .idl are files as well.
void take_apart(DescribeArguments& arguments) {
  for (const std::string& given : arguments.given) {
    if (!arguments.files.idl.empty() && given.ends_with(".idl")) {
      arguments.files.idl.push_back(given);
    } else if (arguments.reference.empty()) {
      arguments.reference = given;
    } else {
      throw std::runtime_error("one object at a time: '" + arguments.reference + "' and '" + given + "'");
    }
  }
}

/// What `arguments` name: the most derived interfaces of the object, or without one all that the files declare. Calls
/// `show` with each and with the comments, if they were asked for.
template <class Show>
int show_interfaces(DescribeArguments& arguments, const Show& show) {
  take_apart(arguments);
  const auto orb = make_orb({});
  const auto values = IDL::traits<DynamicAny::DynAnyFactory>::narrow(orb->resolve_initial_references("DynAnyFactory"));
  IDL::traits<CORBA::Object>::ref_type object;
  if (!arguments.reference.empty()) {
    object = find_object(orb, arguments.reference);
    if (object == nullptr) throw std::runtime_error("this reference is nil");
  } else if (arguments.files.idl.empty() && arguments.files.repository.empty()) {
    throw std::runtime_error("name an object, IDL files, or both");
  }
  std::string why;
  const Types types = types_for(orb, object, arguments.files, arguments.interface, values, why);
  if (!why.empty() && types.interfaces().empty()) throw std::runtime_error("name IDL files with --idl (" + why + ")");
  std::size_t shown = 0;
  for (const auto* interface : types.interfaces()) {
    if (object == nullptr) {
      if (interface->in_main_file) show(*interface, types.comments());
      continue;
    }
    // Only the most derived one: what it inherits is shown with it.
    const bool derived = std::any_of(types.interfaces().begin(), types.interfaces().end(), [&](const auto* other) {
      return std::find(other->ancestors.begin(), other->ancestors.end(), interface) != other->ancestors.end() &&
             object->_is_a(other->repository_id);
    });
    if (derived || !object->_is_a(interface->repository_id)) continue;
    show(*interface, types.comments());
    ++shown;
  }
  if (object != nullptr && shown == 0)
    throw std::runtime_error("the object is of no interface that these files declare");
  orb->destroy();
  return kDone;
}

/// Interfaces, and behind each the types that it is the first to use.
int print_interfaces(DescribeArguments& arguments) {
  std::set<std::string> known;  // by name: files that include the same one each have a model of it
  return show_interfaces(arguments, [&](const model::Interface& interface, const Comments& comments) {
    if (!known.empty()) std::cout << '\n';
    known.insert(model::scoped_name(interface));
    print_interface(interface, comments);
    for (const auto* type : types_used(interface)) {
      if (!known.insert(model::scoped_name(*type)).second) continue;
      std::cout << '\n';
      print_type(std::cout, *type, comments);
    }
  });
}

/// What can be called, with the interface that declares it.
Json callables_of(const model::Interface& interface) {
  Json all = Json::array();
  for (const model::Interface* one : with_ancestors(interface)) {
    for (const auto* declaration : one->contents) {
      const auto* attribute = model::as<model::Attribute>(declaration);
      if (attribute == nullptr && model::as<model::Operation>(declaration) == nullptr) continue;
      const char* const kind = attribute == nullptr  ? "operation"
                               : attribute->readonly ? "readonly attribute"
                                                     : "attribute";
      all.push_back({{"name", declaration->name}, {"kind", kind}, {"interface", model::scoped_name(*one)}});
    }
  }
  return all;
}

void add_what(CLI::App& command, DescribeArguments& arguments, const char* help) {
  command.add_option("REF", arguments.given, help)->type_name("TEXT");
  add_idl_options(command, arguments.files, "IDL files that declare the interface [what the object's server tells]");
  CLI::Option* const repository = add_repository_option(command, arguments.files);
  command
      .add_option("--interface", arguments.interface,
                  "Which of the repository's, as M::I or a repository id [the object's]")
      ->needs(repository);
}

}  // namespace

void add_describe(CLI::App& app, Run& run) {
  auto arguments = std::make_shared<DescribeArguments>();
  CLI::App* const command = app.add_subcommand("describe", "Show the interfaces of IDL files, or the one of an object");
  add_what(*command, *arguments, "an object; only its interface is shown. More IDL files may follow");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "As JSON");
  command->callback([arguments, json, &run] {
    run = [arguments, json] {
      arguments->files.comments = true;
      if (!*json) return print_interfaces(*arguments);
      Json all = Json::array();
      const int status = show_interfaces(*arguments, [&](const model::Interface& interface, const Comments& comments) {
        all.push_back(interface_json(interface, comments));
      });
      std::cout << all.dump(2) << '\n';
      return status;
    };
  });
}

void add_list(CLI::App& app, Run& run) {
  auto arguments = std::make_shared<DescribeArguments>();
  auto json = std::make_shared<bool>(false);
  CLI::App* const command = app.add_subcommand(
      "list", "The names of an object's operations and attributes, or of the interfaces of IDL files");
  add_what(*command, *arguments, "an object. More IDL files may follow");
  command->add_flag("--json", *json, "As JSON, with kinds and where each is declared");
  command->callback([arguments, json, &run] {
    run = [arguments, json] {
      Json all = Json::array();
      const int status = show_interfaces(*arguments, [&](const model::Interface& interface, const Comments&) {
        if (arguments->reference.empty()) {
          all.push_back({{"name", model::scoped_name(interface)}, {"id", interface.repository_id}});
        } else {
          for (Json& one : callables_of(interface)) all.push_back(std::move(one));
        }
      });
      if (*json) {
        std::cout << all.dump(2) << '\n';
      } else {
        for (const Json& one : all) std::cout << one["name"].get<std::string>() << '\n';
      }
      return status;
    };
  });
}

}  // namespace corbel::tool
