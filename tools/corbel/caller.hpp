// SPDX-License-Identifier: Apache-2.0
// A call as the command line and IDL describe it, for the commands that make calls.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "corbel/dynamic/request.hpp"
#include "json_values.hpp"
#include "repository.hpp"
#include "types.hpp"

namespace corbel::tool {

/// The object under policies that are given as NAME=VALUE. Throws std::runtime_error for what is none.
IDL::traits<CORBA::Object>::ref_type with_policies(const IDL::traits<CORBA::Object>::ref_type& object,
                                                   const std::vector<std::string>& policies);

struct CallOptions {
  std::string reference;
  std::string operation;
  std::vector<std::string> values;
  Files files;
  std::string interface;
  std::vector<std::string> orb_options;
  std::vector<std::string> policies;  ///< NAME=VALUE
  long timeout = 0;
};

/// The words behind the program's name, last first as CLI::App::parse takes them. CLI11 makes several values of
/// `[a,b]`: for commands with ARGS such words carry a mark, which add_call_options() takes off again.
std::vector<std::string> command_line(int argc, char** argv);

/// Adds REF, OPERATION, ARGS and what belongs to them to a command. `options` must live as long.
void add_call_options(CLI::App& command, CallOptions& options);

/// Knows the object, the types and the operation. Throws std::runtime_error for what makes no sense. Not thread-safe,
/// but any thread may use requests that were made.
class Caller {
 public:
  using RequestRef = IDL::traits<CORBA::Request>::ref_type;

  explicit Caller(const CallOptions& options);
  ~Caller();
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  const IDL::traits<CORBA::Object>::ref_type& object() const noexcept { return object_; }
  JsonValues& json() noexcept { return json_; }
  /// The request with all arguments; `oneway` tells how to send it.
  RequestRef make(bool& oneway);
  /// A fresh request with the arguments of one that was not sent.
  static RequestRef again(const CORBA::Object& object, CORBA::Request& request);

 private:
  std::vector<std::string> orb_options() const;
  Types types();
  const idl::model::Interface& interface();
  std::string name() const;
  std::string wire_name();
  bool prepare(CORBA::Request& request);
  void add_exceptions(CORBA::Request& request, const std::vector<const idl::model::Exception*>& raised);
  void add_arguments(CORBA::Request& request, const idl::model::Operation& operation);

  const CallOptions& options_;
  IDL::traits<CORBA::ORB>::ref_type orb_;
  IDL::traits<DynamicAny::DynAnyFactory>::ref_type factory_;
  IDL::traits<CORBA::Object>::ref_type object_;
  std::string why_no_types_;
  Types types_;
  JsonValues json_;
  Callable callable_;
};

}  // namespace corbel::tool
