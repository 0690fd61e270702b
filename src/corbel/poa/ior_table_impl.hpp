// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "corbel/base/fork.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/poa/adapter_space.hpp"
#include "corbel/poa/ior_table.hpp"

namespace corbel::poa {

/// The table of an ORB, which it may outlive: then it is closed. Code of the application runs with no lock held.
class IorTable final : public IORTable::Table {
 public:
  using LocatorRef = IDL::traits<IORTable::Locator>::ref_type;

  explicit IorTable(base::SharedPtr<AdapterSpace> space) noexcept : space_(std::move(space)) {}

  void bind(const std::string& object_key, const std::string& ior) override;
  void rebind(const std::string& object_key, const std::string& ior) override;
  void unbind(const std::string& object_key) override;
  std::string find(const std::string& object_key) override;
  void set_locator(LocatorRef the_locator) override;

  /// Where requests with the key are to go; nothing if that is not known. Throws what the locator does, or what reading
  /// the text does, but for text that cannot be read. While the ORB is there.
  std::optional<ior::Ior> lead(std::string_view key);
  /// Forgets everything: a locator may keep the ORB.
  void close() noexcept;

 private:
  /// What the table knows of a key.
  struct Known {
    std::optional<std::string> url;
    LocatorRef locator;
  };

  /// A request that looks a key up counts as such as long as it does.
  class Turn;

  Known known(std::string_view key) const;
  void check_open() const;
  std::optional<std::string> ask(IORTable::Locator& locator, const std::string& key) const;
  std::optional<ior::Ior> read(std::string_view key, const std::string& url) const;

  const base::SharedPtr<AdapterSpace> space_;
  mutable base::ForkMutex mutex_;  // guards what follows; requests come in children of the process, too
  std::map<std::string, std::string, std::less<>> bound_;
  LocatorRef locator_;
  std::map<std::string, unsigned, std::less<>> asked_;  // by how many requests just now
  bool closed_ = false;
};

}  // namespace corbel::poa
