// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "corbel/idl/compat/change.hpp"
#include "corbel/idl/model/model.hpp"

namespace corbel::idl::compat {

/// Kind and name of a declaration, as messages begin with them: interface 'A::B'.
std::string label(const model::Declaration& declaration);

/// Collects the changes; one function per kind of declaration, each given the same declaration of both sides.
class Comparison {
 public:
  void add(Rule rule, std::string text, model::Location where) {
    changes_.push_back({rule, std::move(text), false, where});
  }
  void add_old(Rule rule, std::string text, model::Location where) {
    changes_.push_back({rule, std::move(text), true, where});
  }
  std::vector<Change> take() { return std::exchange(changes_, {}); }

  void types(Rule rule, const model::Declaration& of, const model::Type& before, const model::Type& after,
             model::Location where, const std::string& part = {});
  void constants(const model::Constant& before, const model::Constant& after);
  void enums(const model::Enum& before, const model::Enum& after);
  void structs(const model::Struct& before, const model::Struct& after);
  void unions(const model::Union& before, const model::Union& after);
  void interfaces(const model::Interface& before, const model::Interface& after);
  void values(const model::ValueType& before, const model::ValueType& after);
  void attributes(const model::Attribute& before, const model::Attribute& after);
  void operations(const model::Operation& before, const model::Operation& after);
  void factories(const model::Factory& before, const model::Factory& after);
  void bitsets(const model::Bitset& before, const model::Bitset& after);
  void bitmasks(const model::Bitmask& before, const model::Bitmask& after);

 private:
  void members(const model::Declaration& of, const std::vector<model::Member>& before,
               const std::vector<model::Member>& after);
  void member(const model::Declaration& of, const model::Member& before, const model::Member& after);
  void modifiers(const model::Declaration& before, const model::Declaration& after, bool same);
  template <class T>
  void bases(const model::Declaration& of, const std::vector<const T*>& before, const std::vector<const T*>& after);
  void raises(const model::Declaration& of, const std::vector<const model::Exception*>& before,
              const std::vector<const model::Exception*>& after);
  void parameters(const model::Operation& before, const model::Operation& after);
  void bits(const model::Declaration& of, const std::string& name, bool same, model::Location where);

  std::vector<Change> changes_;
};

/// A type as both wire and C++ see it: typedefs do not count, and named types count by name.
std::string signature(const model::Type& type);
/// A constant or label, so that those of two models can be compared.
std::string text_of(const model::Value& value);

}  // namespace corbel::idl::compat
