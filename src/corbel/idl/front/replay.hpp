// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/idl/front/parser.hpp"

namespace corbel::idl::front {

/// Reads the text of a span again while it lives.
class Parser::Replay {
 public:
  Replay(Parser& parser, Span text, std::uint32_t depth);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

 private:
  Parser& parser_;
  std::size_t position_;
  std::optional<Token> current_;
  std::uint32_t previous_end_;
  bool panic_;
  std::size_t file_depth_;
  unsigned template_depth_;
};

}  // namespace corbel::idl::front
