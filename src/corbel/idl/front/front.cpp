// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/front.hpp"

#include <algorithm>
#include <filesystem>

#include "corbel/idl/front/parser.hpp"
#include "corbel/idl/front/preprocess.hpp"

namespace corbel::idl::front {
namespace {

constexpr std::size_t kMaxText = 16U << 20;

/// The path as an #include directive would spell it: as the main file itself does, or relative to a search folder or
/// the folder of the main file.
std::string spell_include(const Source& source, std::uint32_t file, const Options& options) {
  namespace fs = std::filesystem;
  const std::string& path = source.files()[file];
  if (const auto& spelled = source.marked_name(file);
      source.included_by_main(file) && fs::path(spelled).is_relative()) {
    return spelled;
  }
  const fs::path absolute = fs::absolute(path).lexically_normal();
  std::string best = path;
  std::size_t longest = 0;
  const auto consider = [&](const fs::path& folder) {
    std::string prefix = fs::absolute(folder.empty() ? "." : folder).lexically_normal().string();
    if (!prefix.ends_with('/')) prefix += '/';
    if (prefix.size() > longest && absolute.string().starts_with(prefix)) {
      longest = prefix.size();
      best = absolute.string().substr(longest);
    }
  };
  for (const auto& folder : options.include_dirs) consider(folder);
  if (!options.shipped_dir.empty()) consider(options.shipped_dir);
  if (longest == 0) consider(fs::path(source.files()[0]).parent_path());
  return best;
}

/// Text that uses module CORBA and does not declare it becomes what it were with orb.idl included before its first
/// line.
void include_corba(std::string& text, const std::string& strip, const Options& options) {
  const std::size_t first_line = text.find('\n');
  const std::size_t name = text.find('"');
  const bool declared = text.find("/orb.idl\"") != std::string::npos || text.find("module CORBA") != std::string::npos;
  if (declared || text.find("CORBA::") == std::string::npos || name > first_line) return;
  const Preprocessed corba = preprocess(options.shipped_dir + "/orb.idl", strip, options);
  if (!corba.diagnostics.empty()) return;
  // An #include begins with line 1; any other number is read as the way back.
  const std::string back = "#line 0 " + text.substr(name, first_line - name) + "\n\n";
  text.insert(first_line + 1, corba.text + back);
}

Result compile(const Source& source, const Options& options) {
  Diagnostics diagnostics(source, options.warnings_as_errors, options.max_errors);
  Parser parser(source, diagnostics, options);
  auto model = parser.run();
  Result result;
  result.dependencies = source.files();
  for (std::uint32_t i = 0; i < source.files().size(); ++i) {
    const std::string& path = source.files()[i];
    const std::string spelling = i == 0 ? path : spell_include(source, i, options);
    const bool shipped = i != 0 && !options.shipped_dir.empty() && path.starts_with(options.shipped_dir + "/");
    model->files.push_back({path, spelling, source.included_by_main(i), shipped});
  }
  if (diagnostics.errors() == 0) result.model = std::move(model);
  result.diagnostics = diagnostics.take();
  return result;
}

}  // namespace

Result parse(std::string text, std::string file_name, const Options& options) {
  if (text.size() > kMaxText) {
    Result result;
    result.diagnostics.push_back(
        {Id::too_large, Severity::error, Place{std::move(file_name), 0, 0, 0, {}}, "more than 16 MiB of text", {}});
    return result;
  }
  return compile(Source(std::move(text), file_name), options);
}

Result parse_file(const std::string& path, const Options& options) {
  // mcpp speaks of absolute paths; a user that gave a relative one reads relative ones.
  const bool relative = std::filesystem::path(path).is_relative();
  const std::string strip = relative ? std::filesystem::current_path().string() + "/" : "";
  Preprocessed preprocessed = preprocess(path, strip, options);
  const bool failed = std::any_of(preprocessed.diagnostics.begin(), preprocessed.diagnostics.end(),
                                  [](const auto& d) { return d.severity == Severity::error; });
  Result result;
  const std::size_t octets = preprocessed.text.size();
  if (!failed && options.knows_corba) include_corba(preprocessed.text, strip, options);
  if (!failed) result = compile(Source(std::move(preprocessed.text), path, strip), options);
  result.octets = octets;
  result.diagnostics.insert(result.diagnostics.begin(), preprocessed.diagnostics.begin(),
                            preprocessed.diagnostics.end());
  return result;
}

}  // namespace corbel::idl::front
