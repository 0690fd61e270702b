// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace corbel::idl::back::cpp11 {

/// Text of one generated file, line by line, indented by two and kept under 120 columns where a list can be broken.
class Writer {
 public:
  void line(std::string_view text) {
    if (!text.empty()) text_ += std::string(2 * indent_, ' ') + std::string(text);
    text_ += '\n';
  }
  /// A line for the preprocessor: `#` and the text, never indented.
  void directive(std::string_view text) { text_ += "#" + std::string(text) + "\n"; }
  /// `head` + items joined by ", " + `tail`, over several lines if it must be.
  void list(const std::string& head, const std::vector<std::string>& items, const std::string& tail);
  /// `head(parameters) tail { statement(arguments); }`, on one line if it fits.
  struct Piece {
    std::string head;
    std::vector<std::string> items;
    std::string tail;
  };
  void function(const Piece& signature, const Piece& statement);
  /// `head` + parameters + `) : ` + initializers + ` {}`.
  void constructor(const std::string& head, const std::vector<std::string>& parameters,
                   const std::vector<std::string>& initializers);
  /// One empty line, unless there is one already or a block has just been opened.
  void blank();
  void open(std::string_view text) {
    line(text);
    ++indent_;
  }
  void indent() noexcept { ++indent_; }
  void close(std::string_view text) {
    --indent_;
    line(text);
  }
  /// `public:` and the like, one column in.
  void label(std::string_view text) { text_ += std::string(2 * indent_ - 1, ' ') + std::string(text) + '\n'; }

  const std::string& text() const noexcept { return text_; }

 private:
  std::string text_;
  std::size_t indent_ = 0;
};

}  // namespace corbel::idl::back::cpp11
