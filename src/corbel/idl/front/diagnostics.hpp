// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "corbel/idl/front/source.hpp"

namespace corbel::idl::front {

/// Stable names of everything the front end has to say, printed as `[IDL-1001]`. Never renumber, never reuse.
enum class Id : std::uint16_t {
  // Characters and tokens
  invalid_character = 1001,
  unterminated = 1002,
  unknown_escape = 1003,
  bad_character_literal = 1004,
  nul_in_string = 1005,
  bad_number = 1006,
  bad_identifier = 1007,
  keyword_case = 1008,
  later_keyword = 1009,
  mixed_literals = 1010,
  lower_case_boolean = 1011,
  // Syntax
  expected = 2001,
  expected_semicolon = 2002,
  too_deep = 2003,
  empty_body = 2004,
  bad_type = 2005,
  anonymous_type = 2006,
  missing_direction = 2007,
  attribute_clauses = 2008,
  stray_directive = 2009,
  late_import = 2010,
  empty_struct = 2011,
  template_place = 2012,
  // Names
  redefinition = 3001,
  case_clash = 3002,
  case_use = 3003,
  undeclared = 3004,
  wrong_kind = 3005,
  introduced_clash = 3006,
  enclosing_name = 3007,
  ambiguous = 3008,
  inherited_redefinition = 3009,
  not_a_scope = 3010,
  never_defined = 3011,
  forward_unused = 3012,
  inherited_clash = 3013,
  duplicate_base = 3014,
  incomplete = 3015,
  too_many_bases = 3016,
  modifiers_differ = 3017,
  included_twice = 3018,
  nearly_enclosing_name = 3019,
  // Types
  recursion = 4001,
  recursive_anonymous = 4002,
  exception_as_type = 4003,
  void_misuse = 4004,
  not_positive = 4005,
  bad_discriminator = 4006,
  duplicate_label = 4007,
  duplicate_default = 4008,
  superfluous_default = 4009,
  bad_map_key = 4010,
  bad_fixed = 4011,
  bad_bits = 4012,
  native_misuse = 4013,
  local_misuse = 4014,
  native_remote = 4015,
  bad_box = 4016,
  bad_value_base = 4017,
  bad_truncatable = 4018,
  abstract_value_content = 4019,
  bad_supports = 4020,
  bad_interface_base = 4021,
  template_argument = 4022,
  local_missing = 4023,
  // Operations
  oneway_result = 5001,
  oneway_parameter = 5002,
  oneway_raises = 5003,
  duplicate_raises = 5004,
  factory_parameter = 5005,
  bad_context = 5006,
  // Constants
  bad_constant_type = 6001,
  out_of_range = 6002,
  type_mismatch = 6003,
  division_by_zero = 6004,
  overflow = 6005,
  bad_shift = 6006,
  too_long = 6007,
  mixed_operands = 6008,
  // Pragmas
  bad_pragma = 7001,
  id_conflict = 7002,
  prefix_differs = 7003,
  odd_repository_id = 7004,
  misplaced_identity = 7005,
  module_prefix_differs = 7006,
  // The rest
  unsupported = 8001,
  needs_idl4 = 8003,
  unknown_annotation = 8101,
  annotation_place = 8102,
  annotation_argument = 8103,
  annotation_conflict = 8104,
  preprocessor_error = 9001,
  preprocessor_warning = 9002,
  cannot_read = 9003,
  too_large = 9004,
  too_complex = 9005,
  too_many_errors = 9006,
};

enum class Severity : std::uint8_t { warning, error };

struct Note {
  Place place;
  std::string text;
};

struct Diagnostic {
  Id id;
  Severity severity;
  Place place;  ///< line 0: about the file as a whole
  std::string text;
  std::vector<Note> notes;
};

/// `file:line:column: error: text [IDL-1001]`, the source line, a caret, then the notes in the same form.
std::string render(const Diagnostic& diagnostic);

/// Collects what is found in one run. After the error cap it keeps quiet and exhausted() tells the parser to stop.
class Diagnostics {
 public:
  Diagnostics(const Source& source, bool warnings_as_errors, std::size_t max_errors)
      : source_(source), warnings_as_errors_(warnings_as_errors), max_errors_(max_errors) {}

  /// Adds a finding; the severity belongs to the id. The returned object takes notes; it is valid until the next
  /// report.
  class Report {
   public:
    explicit Report(Diagnostics& owner, bool kept) : owner_(owner), kept_(kept) {}
    Report& note(Span where, std::string text);

   private:
    Diagnostics& owner_;
    bool kept_;
  };
  Report report(Id id, Span where, std::string text);
  /// From now on every finding is in text that was written once and is read again, for what stands at `where`: a note
  /// says so, and warnings that were given before are not repeated.
  void enter_instance(Span where, std::string text) { instances_.push_back({where, std::move(text)}); }
  void leave_instance() { instances_.pop_back(); }
  /// True if the two are one place in a file without an include guard, which is said once for each file.
  bool report_inclusion(Span first, Span second);

  std::size_t errors() const noexcept { return errors_; }
  bool exhausted() const noexcept { return errors_ >= max_errors_; }
  std::vector<Diagnostic> take();

 private:
  const Source& source_;
  bool warnings_as_errors_;
  std::size_t max_errors_;
  std::size_t errors_ = 0;
  std::size_t warnings_ = 0;
  std::vector<Diagnostic> all_;
  struct Instance {
    Span where;
    std::string text;
  };
  std::vector<Instance> instances_;                ///< what is being read again, and for what; the innermost last
  std::set<std::pair<Id, std::uint32_t>> warned_;  ///< id and offset
  std::unordered_set<std::uint32_t> unguarded_;    ///< files that are known to have been included twice
};

bool is_warning(Id id) noexcept;

/// `'name'`
std::string quote(std::string_view name);

/// The candidate that the name was probably meant to be: same but for case, or at most two typing slips away; else
/// empty.
std::string_view closest(std::string_view name, const std::vector<std::string_view>& candidates);

}  // namespace corbel::idl::front
