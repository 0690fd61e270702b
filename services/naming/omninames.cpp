// SPDX-License-Identifier: Apache-2.0
// The file is a journal of lines, words set off by single spaces:
//   port N | persistent HEX | create KEY | destroy IOR | bind IOR ID KIND nobject|ncontext IOR | unbind IOR ID KIND
// KEY are the digits of a context's object key, the first IOR is that of a context; a bind of a name that is bound
// replaces. In ID and KIND, which may be empty, "\ " is a space, "\n" a line end, "\t" a tab, and "\\" a backslash.
#include "omninames.hpp"

#include <algorithm>
#include <charconv>
#include <istream>
#include <map>
#include <stdexcept>
#include <vector>

#include "corbel/base/log.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/ior/profile.hpp"

namespace corbel::naming {
namespace {

using CosNaming::BindingType;
using CosNaming::NameComponent;

constexpr std::string_view kRootKey = "NameService";
constexpr std::size_t kLongestLine = 1 << 20;

class Import {
 public:
  Import(Store& store, const NameLimits& limits) : store_(store), limits_(limits) {
    contexts_.emplace(kRootKey, kRoot);
  }

  void line(const std::string& text) {
    ++result_.lines;
    const std::vector<std::string> words = split(text);
    const std::string& verb = words[0];
    const auto is = [&](const char* what, std::size_t count) { return verb == what && words.size() == count; };
    if (is("port", 2)) {
      if (!is_port(words[1])) fail("has '" + base::printable(words[1]) + "' where a port belongs");
      result_.port = words[1];
    } else if (is("create", 2)) {
      create(octets(words[1]));
    } else if (is("destroy", 2)) {
      destroy(key_of(words[1]));
    } else if (is("bind", 6)) {
      bind(words);
    } else if (is("unbind", 4)) {
      unbind(words);
    } else if (!is("persistent", 2) && !text.empty()) {
      fail("is no line of omniNames");
    }
  }

  const Imported& result() const noexcept { return result_; }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error("line " + std::to_string(result_.lines) + " " + why);
  }

  static bool is_port(const std::string& word) {
    unsigned port = 0;
    const char* const end = word.data() + word.size();
    const auto [stopped, error] = std::from_chars(word.data(), end, port);
    return error == std::errc() && stopped == end && port > 0 && port <= 65535;
  }

  static std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> words(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == ' ') {
        words.emplace_back();
      } else if (text[i] == '\\' && i + 1 < text.size()) {
        const char c = text[++i];
        words.back() += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
      } else {
        words.back() += text[i];
      }
    }
    return words;
  }

  /// The octets that hexadecimal digits spell.
  std::string octets(std::string_view digits) const {
    std::string found;
    if (digits.size() % 2 != 0) fail("has an odd number of digits");
    for (std::size_t i = 0; i < digits.size(); i += 2) {
      found += static_cast<char>(digit(digits[i]) << 4 | digit(digits[i + 1]));
    }
    return found;
  }
  unsigned digit(char c) const {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    fail("has '" + base::printable(std::string(1, c)) + "' where a hexadecimal digit belongs");
  }

  /// The object key of a reference; empty if it has none that can be read.
  std::string key_of(const std::string& text) const {
    const auto ior = ior::from_string(text);
    if (!ior) fail("holds a malformed reference");
    for (const auto& profile : ior->profiles) {
      if (const auto key = ior::object_key_of(profile.tag, profile.data)) return std::string(base::as_text(*key));
    }
    return {};
  }
  /// The context of this file that has the key, nullptr if it has none.
  const ContextId* find(const std::string& key) const {
    // Keys in references are those of `create`, all but the root's behind octets that name omniNames' adapter.
    const std::size_t adapter = key.starts_with('\xff') ? std::min<std::size_t>(8, key.size()) : 0;
    for (std::size_t skip = 0; skip <= adapter; ++skip) {
      const auto found = contexts_.find(std::string_view(key).substr(skip));
      if (found != contexts_.end()) return &found->second;
    }
    return nullptr;
  }

  void create(const std::string& key) {
    if (contexts_.contains(key)) return;  // the root, which is always there
    ContextId made = 0;
    if (store_.new_context(made) != Outcome::done) fail("is beyond the limit of contexts");
    contexts_.emplace(key, made);
  }

  void destroy(const std::string& key) {
    const ContextId* const context = find(key);
    if (context == nullptr || *context == kRoot) return;
    if (store_.destroy(*context) == Outcome::not_empty) fail("destroys a context that has bindings");
    for (auto each = contexts_.begin(); each != contexts_.end(); ++each) {
      if (&each->second != context) continue;
      contexts_.erase(each);
      return;
    }
  }

  void bind(const std::vector<std::string>& words) {
    const NameComponent name(words[2], words[3]);
    // No client could resolve or unbind it.
    if (!within({name}, limits_)) fail("binds a name that is too long (--max-component-octets)");
    if (words[4] != "nobject" && words[4] != "ncontext") fail("binds what is neither nobject nor ncontext");
    Bound bound;
    bound.type = words[4] == "ncontext" ? BindingType::ncontext : BindingType::nobject;
    const std::string key = key_of(words[5]);
    if (const ContextId* own = bound.type == BindingType::ncontext ? find(key) : nullptr; own != nullptr) {
      bound.child = *own;
    } else {
      bound.reference = octets(std::string_view(words[5]).substr(4));
    }
    const ContextId* const context = find(key_of(words[1]));
    if (context == nullptr) {
      ++result_.skipped;
      return;
    }
    Outcome outcome = store_.bind(*context, name, bound, true);
    if (outcome == Outcome::not_context || outcome == Outcome::not_object) {
      store_.unbind(*context, name);
      outcome = store_.bind(*context, name, bound, true);
    }
    if (outcome == Outcome::full) fail("is beyond a limit");
    if (outcome != Outcome::done) ++result_.skipped;
  }

  void unbind(const std::vector<std::string>& words) {
    if (const ContextId* const context = find(key_of(words[1]))) {
      store_.unbind(*context, NameComponent(words[2], words[3]));
    }
  }

  Store& store_;
  const NameLimits limits_;
  std::map<std::string, ContextId, std::less<>> contexts_;
  Imported result_;
};

}  // namespace

Imported import_omninames(std::istream& file, Store& store, const NameLimits& limits) {
  const Census before = store.census();
  if (before.bindings != 0 || before.contexts != 1) throw std::runtime_error("the database holds names already");
  store.begin();
  Import import(store, limits);
  try {
    std::string room(kLongestLine + 1, '\0');
    while (file.getline(room.data(), static_cast<std::streamsize>(room.size())) || file.gcount() != 0) {
      if (!file) throw std::runtime_error("a line is longer than a mebibyte");
      std::string text(room, 0, static_cast<std::size_t>(file.gcount()) - (file.eof() ? 0 : 1));
      if (!text.empty() && text.back() == '\r') text.pop_back();
      import.line(text);
    }
    if (import.result().lines == 0) throw std::runtime_error("the file is empty");
  } catch (...) {
    store.roll_back();
    throw;
  }
  store.commit();
  return import.result();
}

}  // namespace corbel::naming
