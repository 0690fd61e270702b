// SPDX-License-Identifier: Apache-2.0
// corbel ns: looks at and changes the names of any naming service.
#include "ns.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "corbel/base/log.hpp"
#include "corbel/ior/ior.hpp"
#include "names.hpp"
#include "ns_discover.hpp"

namespace corbel::tool {
namespace {

using CosNaming::BindingType;
using CosNaming::Name;
using Json = nlohmann::ordered_json;

struct NsArguments {
  NsOptions options;
  std::string name;
  std::string reference;
  std::string file;
  bool as_context = false;
  bool parents = false;
  bool destroy = false;
  bool resolve = false;
  bool unbind = false;
  bool follow = false;
  bool replace = false;
  int jobs = 8;
  long lease = 0;
  WatchOptions watch;
};

void print_json(const Json& json) {
  std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

/// Foreign text on a terminal: control characters are shown, not obeyed.
std::string shown(const std::string& text) {
  return base::printable(text, 1 << 16);
}

const char* type_text(BindingType type) {
  return type == BindingType::ncontext ? "context" : "object";
}

/// The interface that the reference names.
std::string interface_of(const OrbRef& orb, const ObjectRef& object) {
  const auto ior = ior::from_string(orb->object_to_string(object));
  return ior ? ior->type_id : std::string();
}

Json entry_json(const Entry& entry, const OrbRef& orb) {
  Json json;
  json["name"] = naming::to_string(entry.name);
  json["type"] = type_text(entry.type);
  if (entry.was_met) json["same_as"] = entry.same_as;
  if (!entry.failure.empty()) json["failure"] = entry.failure;
  if (entry.object != nullptr) json["reference"] = orb->object_to_string(entry.object);
  return json;
}

int list(const NsArguments& arguments) {
  Names names(arguments.options);
  const ContextRef context = names.context(Names::read_name(arguments.name));
  Json all = Json::array();
  names.each(context, [&](const CosNaming::Binding& binding) {
    Entry entry;
    entry.name = binding.binding_name();
    entry.type = binding.binding_type();
    if (arguments.resolve) {
      try {
        entry.object = context->resolve(entry.name);
      } catch (const CORBA::Exception& exception) {
        entry.failure = exception._name();
      }
    }
    if (arguments.options.json) {
      all.push_back(entry_json(entry, names.orb()));
      return true;
    }
    std::cout << shown(naming::to_string(entry.name)) << (entry.type == BindingType::ncontext ? "/" : "");
    if (entry.object != nullptr) std::cout << "  " << shown(interface_of(names.orb(), entry.object));
    if (!entry.failure.empty()) std::cout << "  (" << entry.failure << ')';
    std::cout << '\n';
    return true;
  });
  if (arguments.options.json) print_json(all);
  return kDone;
}

int tree(const NsArguments& arguments) {
  Names names(arguments.options);
  const ContextRef start = names.context(Names::read_name(arguments.name));
  std::vector<Entry> entries;
  names.walk(start, {.resolve = false, .follow = true}, [&](const Entry& entry) { entries.push_back(entry); });
  // What is in a context follows it.
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return before(a.name, b.name); });
  Json all = Json::array();
  for (const Entry& entry : entries) {
    if (arguments.options.json) {
      all.push_back(entry_json(entry, names.orb()));
      continue;
    }
    std::cout << std::string(2 * (entry.name.size() - 1), ' ') << shown(naming::to_string(entry.name.back()))
              << (entry.type == BindingType::ncontext ? "/" : "");
    if (entry.was_met) std::cout << "  (the same as " << (entry.same_as.empty() ? "/" : shown(entry.same_as)) << ')';
    if (!entry.failure.empty()) std::cout << "  (" << entry.failure << ')';
    std::cout << '\n';
  }
  if (arguments.options.json) print_json(all);
  return kDone;
}

int resolve(const NsArguments& arguments) {
  Names names(arguments.options);
  const ObjectRef object = names.resolve(Names::read_name(arguments.name));
  const std::string text = names.orb()->object_to_string(object);
  if (arguments.options.json) {
    print_json({{"name", arguments.name}, {"interface", interface_of(names.orb(), object)}, {"reference", text}});
  } else {
    std::cout << text << '\n';
  }
  return kDone;
}

int bind(const NsArguments& arguments, bool replace) {
  if (arguments.lease != 0) {
    return ns_lease(arguments.options, arguments.name, arguments.reference, arguments.lease, replace);
  }
  Names names(arguments.options);
  const Name name = Names::read_name(arguments.name);
  const ObjectRef object = find_object(names.orb(), arguments.reference);
  if (object == nullptr) throw std::runtime_error("a name cannot be bound to nil");
  if (arguments.as_context) {
    const auto context = IDL::traits<CosNaming::NamingContext>::unchecked_narrow(object);
    replace ? names.root()->rebind_context(name, context) : names.root()->bind_context(name, context);
  } else {
    replace ? names.root()->rebind(name, object) : names.root()->bind(name, object);
  }
  return kDone;
}

int unbind(const NsArguments& arguments) {
  Names names(arguments.options);
  const Name name = Names::read_name(arguments.name);
  if (arguments.destroy) names.context(name)->destroy();
  names.root()->unbind(name);
  return kDone;
}

int make_context(const NsArguments& arguments) {
  Names names(arguments.options);
  const Name name = Names::read_name(arguments.name);
  ContextRef made;
  for (std::size_t length = arguments.parents ? 1 : name.size(); length <= name.size(); ++length) {
    const Name part(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(length));
    try {
      made = names.root()->bind_new_context(part);
    } catch (const CosNaming::NamingContext::AlreadyBound&) {
      if (!arguments.parents) throw;
      made = names.context(part);
    }
  }
  if (made == nullptr) throw std::runtime_error("the root is there already");
  if (arguments.options.json) {
    print_json({{"name", arguments.name}, {"reference", names.orb()->object_to_string(made)}});
  }
  return kDone;
}

/// Adds what all subcommands take, and the run itself.
CLI::App* add(CLI::App& ns, Run& run, const char* name, const char* what, int (*work)(const NsArguments&),
              const std::shared_ptr<NsArguments>& arguments) {
  CLI::App* const command = ns.add_subcommand(name, what);
  command
      ->add_option("--service", arguments->options.service,
                   "The naming service: a reference, a file, or HOST[:PORT] [-ORBInitRef, or localhost:2809]")
      ->type_name("REF");
  command->add_option("--timeout", arguments->options.timeout, "Milliseconds for each call")
      ->check(CLI::Range(1L, 86'400'000L))
      ->type_name("MS");
  command->add_option("--most", arguments->options.most, "Read no more bindings than that")
      ->check(CLI::Range(1L, 1'000'000'000L))
      ->type_name("N");
  command->add_option("--orb", arguments->options.orb_options, "An option of the ORB")
      ->type_name("OPTION")
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->options.json, "Print JSON");
  command->callback(
      [arguments, &run, work] { run = [arguments, work] { return report([&] { return work(*arguments); }); }; });
  return command;
}

}  // namespace

void add_ns(CLI::App& app, Run& run) {
  CLI::App* const ns = app.add_subcommand("ns", "Look at and change the names of a naming service");
  ns->require_subcommand(1);
  ns->footer(
      "NAME is ID.KIND/ID.KIND/..., kinds may be left out; a \\ stands before /, . and \\ that are meant.\n"
      "Exit status 1: the naming service refuses (not found, already bound, ...).");
  const auto arguments = std::make_shared<NsArguments>();
  const auto with_name = [&](CLI::App* command, bool required) {
    auto* option = command->add_option("NAME", arguments->name, required ? "A name" : "A context [the root]");
    if (required) option->required();
    return command;
  };

  with_name(add(*ns, run, "list", "What is bound in a context", list, arguments), false)
      ->add_flag("-l,--long", arguments->resolve, "Resolve each, and show its interface");
  with_name(add(*ns, run, "tree", "All names below a context", tree, arguments), false);
  with_name(add(*ns, run, "resolve", "The reference that a name is bound to", resolve, arguments), true);
  for (const bool replace : {false, true}) {
    CLI::App* const command = replace ? add(
                                            *ns, run, "rebind", "Bind a name, whatever it is bound to now",
                                            [](const NsArguments& given) { return bind(given, true); }, arguments)
                                      : add(
                                            *ns, run, "bind", "Bind a name",
                                            [](const NsArguments& given) { return bind(given, false); }, arguments);
    with_name(command, true)->add_option("REF", arguments->reference, "The object")->required();
    auto* const context =
        command->add_flag("--context", arguments->as_context, "As a context, which names lead through");
    command
        ->add_option("--lease", arguments->lease,
                     "Until SIGINT, and no longer than so many seconds after this process has ended otherwise")
        ->check(CLI::Range(1L, 4'000'000'000L))
        ->type_name("SECONDS")
        ->excludes(context);
  }
  with_name(add(*ns, run, "unbind", "Forget a name", unbind, arguments), true)
      ->add_flag("--destroy", arguments->destroy, "Destroy the context that it is bound to, which must be empty");
  with_name(add(*ns, run, "context", "Make a context and bind it", make_context, arguments), true)
      ->add_flag("-p,--parents", arguments->parents, "And those on the way that do not exist; existing ones are fine");

  CLI::App* const check = add(
      *ns, run, "check", "Ask every object below a context whether it lives",
      [](const NsArguments& given) { return ns_check(given.options, given.name, given.jobs, given.unbind); },
      arguments);
  with_name(check, false)->add_option("--jobs", arguments->jobs, "Ask so many at a time")->check(CLI::Range(1, 256));
  check->add_flag("--unbind", arguments->unbind, "Unbind those whose server says that they are gone");
  check->footer("Exit status 1: some are gone or cannot be reached.");

  CLI::App* const watch = add(
      *ns, run, "watch", "Tell what is bound and unbound below a context, until SIGINT",
      [](const NsArguments& given) { return ns_watch(given.options, given.name, given.watch); }, arguments);
  with_name(watch, false);
  check_range(watch->add_option("-i,--interval", arguments->watch.interval, "Seconds between looks"), 0.01, 86'400.0)
      ->capture_default_str();
  watch->add_option("-n,--events", arguments->watch.events, "End after so many")
      ->check(CLI::Range(1L, 1'000'000'000L))
      ->type_name("N");
  watch->add_flag("--initial", arguments->watch.initial, "Begin with what is bound now");
  watch->footer("Events are bound, unbound, rebound; away and back when the service does not answer, and does again.");

  add_ns_discover(*ns, run);
  with_name(add(
                *ns, run, "dump", "Write all names below a context as JSON",
                [](const NsArguments& given) { return ns_dump(given.options, given.name, given.follow); }, arguments),
            false)
      ->add_flag("--follow", arguments->follow, "Write what is in contexts of other servers, too");
  CLI::App* const load = add(
      *ns, run, "load", "Bind what dump has written",
      [](const NsArguments& given) { return ns_load(given.options, given.file, given.name, given.replace); },
      arguments);
  load->add_option("FILE", arguments->file, "What dump has written; - is standard input")->required();
  with_name(load, false);
  load->add_flag("--replace", arguments->replace, "Rebind names that are bound to other objects");
  load->footer("Exit status 1: some names are bound to something else, and were left alone.");
}

}  // namespace corbel::tool
