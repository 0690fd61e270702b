// SPDX-License-Identifier: Apache-2.0
// IDL as a server tells it (Corbel::reflection).
#pragma once

#include <filesystem>
#include <string>

#include "command.hpp"
#include "types.hpp"

namespace corbel::tool {

/// The IDL files of an object's server in a folder of their own, which goes with this.
class Reflected {
 public:
  /// Asks the server, by the object's addresses. What it says is not trusted: sizes, paths and #include lines are
  /// checked, so that reading the files looks at nothing else on this machine. If the server has nothing to tell,
  /// `files()` is empty and `why()` says so.
  Reflected(const IDL::traits<CORBA::ORB>::ref_type& orb, const IDL::traits<CORBA::Object>::ref_type& object);
  ~Reflected();
  Reflected(const Reflected&) = delete;
  Reflected& operator=(const Reflected&) = delete;

  /// Those that the server names, to be parsed with the folder as include folder.
  const Files& files() const noexcept { return files_; }
  const std::string& why() const noexcept { return why_; }

 private:
  void write(const std::string& path, const std::vector<std::uint8_t>& text, bool is_root);

  std::filesystem::path folder_;
  Files files_;
  std::string why_;
};

/// For tests: true if a text that strangers sent may be parsed: every #include in it is plain, and leads nowhere else.
bool includes_are_harmless(const std::string& text);
/// As #include may spell it: relative, without "..", of usual characters.
bool path_is_harmless(const std::string& path);

}  // namespace corbel::tool
