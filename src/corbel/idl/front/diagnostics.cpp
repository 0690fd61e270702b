// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/diagnostics.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace corbel::idl::front {
namespace {

constexpr std::size_t kMaxWarnings = 100;
constexpr std::size_t kMaxLineShown = 400;

/// Without what would make a terminal do what the user of the compiler did not ask for: control characters are spaces,
/// those of ISO 8859-1 in UTF-8 (C2 80 to C2 9F), too.
void append_tame(std::string& out, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto octet = static_cast<unsigned char>(text[i]);
    const bool is_pair =
        octet == 0xC2 && i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xE0U) == 0x80;
    const bool is_control = (octet < 0x20 && octet != '\t') || octet == 0x7F;
    if (is_pair) {
      out += "  ";
      ++i;
    } else {
      out += is_control ? ' ' : text[i];
    }
  }
}

void append(std::string& out, const Place& place, std::string_view label, const std::string& text) {
  append_tame(out, place.file);
  if (place.line != 0) out += ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  out += ": ";
  out += label;
  out += ": ";
  append_tame(out, text);
}

void append_excerpt(std::string& out, const Place& place) {
  if (place.line == 0 || place.text.empty() || place.text.size() > kMaxLineShown) return;
  out += "    ";
  append_tame(out, place.text);
  out += "\n    ";
  // Tabs stay tabs under the line so that the caret lands below its column.
  for (std::size_t i = 0; i + 1 < place.column && i < place.text.size(); ++i) out += place.text[i] == '\t' ? '\t' : ' ';
  const std::size_t room = place.text.size() + 1 - std::min<std::size_t>(place.column - 1, place.text.size());
  out += "^" + std::string(std::min<std::size_t>(std::max(place.length, 1U), room) - 1, '~') + "\n";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char of_a : a) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (of_a == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substituted, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

bool is_warning(Id id) noexcept {
  switch (id) {
    case Id::unknown_escape:
    case Id::later_keyword:
    case Id::forward_unused:
    case Id::lower_case_boolean:
    case Id::empty_struct:
    case Id::native_remote:
    case Id::unknown_annotation:
    case Id::recursive_anonymous:
    case Id::odd_repository_id:
    case Id::module_prefix_differs:
    case Id::preprocessor_warning:
    case Id::nearly_enclosing_name:
    case Id::local_missing:
      return true;
    default:
      return false;
  }
}

std::string quote(std::string_view name) {
  return "'" + std::string(name) + "'";
}

std::string render(const Diagnostic& diagnostic) {
  std::string out;
  append(out, diagnostic.place, diagnostic.severity == Severity::error ? "error" : "warning", diagnostic.text);
  out += " [IDL-" + std::to_string(static_cast<unsigned>(diagnostic.id)) + "]\n";
  append_excerpt(out, diagnostic.place);
  for (const Note& note : diagnostic.notes) {
    append(out, note.place, "note", note.text);
    out += "\n";
    append_excerpt(out, note.place);
  }
  return out;
}

Diagnostics::Report Diagnostics::report(Id id, Span where, std::string text) {
  const bool warning = is_warning(id) && !warnings_as_errors_;
  if (is_warning(id) && !warned_.emplace(id, where.offset).second && !instances_.empty()) return Report(*this, false);
  if (exhausted() || (warning && warnings_++ >= kMaxWarnings)) return Report(*this, false);
  all_.push_back({id, warning ? Severity::warning : Severity::error, source_.place(where), std::move(text), {}});
  for (auto instance = instances_.rbegin(); instance != instances_.rend(); ++instance) {
    all_.back().notes.push_back({source_.place(instance->where), instance->text});
  }
  if (!warning && ++errors_ == max_errors_) {
    all_.push_back({Id::too_many_errors, Severity::error, source_.place(where), "too many errors; stopping here", {}});
    return Report(*this, false);
  }
  return Report(*this, true);
}

bool Diagnostics::report_inclusion(Span first, Span second) {
  const auto one = source_.position(first.offset);
  const auto other = source_.position(second.offset);
  const bool same = one.file == other.file && one.line == other.line && one.column == other.column;
  if (!same || first.offset == second.offset || other.file == 0) return false;
  if (!unguarded_.insert(other.file).second || exhausted()) return true;
  ++errors_;
  all_.push_back({Id::included_twice,
                  Severity::error,
                  source_.inclusion(second.offset),
                  quote(source_.files()[other.file]) + " is included a second time and has no include guard; begin it "
                                                       "with '#pragma once'",
                  {{source_.inclusion(first.offset), "first included here"}}});
  return true;
}

Diagnostics::Report& Diagnostics::Report::note(Span where, std::string text) {
  if (kept_) owner_.all_.back().notes.push_back({owner_.source_.place(where), std::move(text)});
  return *this;
}

std::vector<Diagnostic> Diagnostics::take() {
  return std::exchange(all_, {});
}

std::string_view closest(std::string_view name, const std::vector<std::string_view>& candidates) {
  std::string_view best;
  std::size_t best_distance = name.size() < 4 ? 2 : 3;  // exclusive
  for (const auto candidate : candidates) {
    const std::size_t longer = std::max(candidate.size(), name.size());
    if (longer > 64 || longer - std::min(candidate.size(), name.size()) >= best_distance) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance && distance < name.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace corbel::idl::front
