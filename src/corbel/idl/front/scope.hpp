// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "corbel/idl/front/diagnostics.hpp"
#include "corbel/idl/model/model.hpp"

namespace corbel::idl::front {

class Scope;

/// One name in a scope.
struct Entry {
  enum class How : std::uint8_t {
    declared,     ///< a declaration of the model
    member,       ///< struct, union or exception member, or parameter: no declaration of its own
    introduced,   ///< used here while it belongs to a scope further out; `origin` is the real entry
    template_,    ///< a template module: the parser knows it by its entry
    unsupported,  ///< declared by a construct that this compiler does not support yet; uses pass in silence
  };
  std::string name;
  How how = How::declared;
  const model::Declaration* declaration = nullptr;
  Span where;                     ///< the name, where it was declared or first used
  Scope* inner = nullptr;         ///< the scope that it opens, if any
  const Entry* origin = nullptr;  ///< introduced only
  bool is_formal = false;         ///< a template's parameter: no name of any instance, so not introduced into one
};

/// "struct 'S'", "member 'a'", "operation 'f'": for messages.
std::string describe(const Entry& entry);

/// A naming scope. Owned by the parser; entries stay where they are for its whole life.
class Scope {
 public:
  enum class Sort : std::uint8_t { file, module_, interface_, structure, bits, operation };

  Scope(Sort sort, std::string_view name, Scope* parent, const model::Declaration* owner)
      : sort_(sort), name_(name), parent_(parent), owner_(owner) {}

  Sort sort() const noexcept { return sort_; }
  const std::string& name() const noexcept { return name_; }
  Scope* parent() const noexcept { return parent_; }
  void set_parent(Scope& parent) noexcept { parent_ = &parent; }
  const model::Declaration* owner() const noexcept { return owner_; }

  /// The entry of exactly this scope, whatever the case of the name; null if none.
  Entry* find(const std::string& folded_name) noexcept;
  Entry& add(const std::string& folded_name, Entry entry);

  std::vector<Scope*> bases;      ///< of direct bases: interfaces, values, structs, bitsets
  std::vector<Scope*> ancestors;  ///< direct and indirect ones, each once

  /// The entries of declarations made here, in no particular order.
  std::vector<const Entry*> declared() const;
  std::size_t size() const noexcept { return entries_.size(); }
  /// Entries that a derived scope may not declare again: operations, attributes, members; in order of declaration.
  std::vector<const Entry*> inherited_for_good() const;
  /// Names declared here, for "did you mean".
  void append_names(std::vector<std::string_view>& names) const;

 private:
  Sort sort_;
  std::string name_;
  Scope* parent_;
  const model::Declaration* owner_;
  std::unordered_map<std::string, std::unique_ptr<Entry>> entries_;
};

/// Name resolution by the rules of IDL: innermost scope first, bases before the scope around, case remembered.
class Names {
 public:
  explicit Names(Diagnostics& diagnostics);

  Scope& file_scope() noexcept { return *file_; }
  Scope& current() noexcept { return *current_; }
  Scope& open(Scope::Sort sort, std::string_view name, const model::Declaration* owner);
  /// The scope that a declaration opened; null if none.
  Scope* scope_of(const model::Declaration& owner) noexcept;
  void enter(Scope& scope) noexcept { current_ = &scope; }
  void leave() noexcept { current_ = current_->parent(); }

  /// Adds a name to the current scope after every rule about clashes; reports and returns null if it may not be.
  Entry* declare(std::string_view name, Span where, Entry::How how, const model::Declaration* declaration);
  /// True if the current scope has this name already and says so in a report.
  bool clashes(std::string_view name, Span where);

  struct Part {
    std::string_view name;
    Span where;
  };
  /// Finds a possibly qualified name, reporting what is wrong; null if nothing was found. A name looked up from the
  /// current scope is introduced into it.
  const Entry* resolve(bool absolute, const std::vector<Part>& parts);

  /// An annotation by its name without `@`; null if there is none, of which nothing is said.
  const Entry* find_annotation(bool absolute, const std::vector<Part>& parts);
  /// Whether names that are used are introduced into the current scope; returns the setting before.
  bool set_introducing(bool on) noexcept { return std::exchange(introducing_, on); }
  /// Whose constants and enumerators are found before all others: an annotation's, where it is applied. Null: nobody's.
  void set_first(Scope* scope) noexcept { first_ = scope; }

  /// True if an unqualified name would be found from here; neither reports nor introduces.
  bool is_declared(std::string_view name);

  /// What to say of `found`, which a name met: which declaration further out it hides, and how to write that. Empty if
  /// there is none of this very name.
  std::string hidden_by(const Entry& found, std::string_view name) const;

  /// Follows introduced entries to the real one.
  static const Entry* real(const Entry* entry) noexcept;

 private:
  const Entry* find_outward(const Part& part);
  const Entry* find_in(Scope& scope, const Part& part, const std::string& key);
  void introduce(const Entry& entry, const Part& part);
  bool check_case(const Entry& entry, const Part& part, bool outward);
  void report_undeclared(const Part& part, Scope& from, bool outward);
  bool clashes_with_bases(std::string_view name, const std::string& key, Span where);

  Diagnostics& diagnostics_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  std::unordered_map<const model::Declaration*, Scope*> by_owner_;
  Scope* file_;
  Scope* current_;
  Scope* first_ = nullptr;
  bool introducing_ = true;
};

}  // namespace corbel::idl::front
