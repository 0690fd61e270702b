// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "corbel/dynamic/any.hpp"
#include "corbel/mapping/corba_types.hpp"

/// Parameters, exceptions and contexts as lists, for interceptors. As corbel-idl maps Dynamic.idl; do not include both.
namespace Dynamic {

class Parameter {
 public:
  Parameter() = default;
  explicit Parameter(CORBA::Any argument, CORBA::ParameterMode mode) : _argument(std::move(argument)), _mode(mode) {}
  void argument(const CORBA::Any& value) { _argument = value; }
  void argument(CORBA::Any&& value) { _argument = std::move(value); }
  const CORBA::Any& argument() const { return _argument; }
  CORBA::Any& argument() { return _argument; }
  void mode(CORBA::ParameterMode value) { _mode = value; }
  CORBA::ParameterMode mode() const { return _mode; }
  CORBA::ParameterMode& mode() { return _mode; }

 private:
  CORBA::Any _argument;
  CORBA::ParameterMode _mode{};
};

using ParameterList = std::vector<Parameter>;
using ContextList = std::vector<std::string>;
using ExceptionList = std::vector<CORBA::typecode_reference>;
using RequestContext = std::vector<std::string>;

}  // namespace Dynamic
