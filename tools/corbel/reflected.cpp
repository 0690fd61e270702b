// SPDX-License-Identifier: Apache-2.0
#include "reflected.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "Reflection.hpp"
#include "corbel/ior/profile.hpp"

namespace corbel::tool {
namespace {

constexpr std::size_t kMostFiles = 1000;
constexpr std::size_t kMostOctets = 16 << 20;
constexpr std::string_view kKey = "CorbelReflection";

template <class Body>
bool rekey(base::Result<Body> body, ior::Ior& to) {
  if (!body) return false;
  body->object_key.assign(kKey.begin(), kKey.end());
  to.profiles.push_back(ior::encode_profile(*body));
  return true;
}

/// The reflection object at the addresses of another one.
ior::Ior beside(const ior::Ior& ior) {
  ior::Ior result{std::string(CorbelReflection::Reflection::_interface_id), {}};
  for (const auto& profile : ior.profiles) {
    if (rekey(ior::decode_iiop_profile(profile), result)) continue;
    if (rekey(ior::decode_uiop_profile(profile), result)) continue;
    rekey(ior::decode_corbel_profile(profile), result);
  }
  return result;
}

}  // namespace

Reflected::Reflected(const IDL::traits<CORBA::ORB>::ref_type& orb, const IDL::traits<CORBA::Object>::ref_type& object) {
  const auto ior = ior::from_string(orb->object_to_string(object));
  const ior::Ior other = ior ? beside(*ior) : ior::Ior();
  if (other.profiles.empty()) {
    why_ = "no address of the server could be asked";
    return;
  }
  CorbelReflection::FileList told;
  try {
    told = IDL::traits<CorbelReflection::Reflection>::unchecked_narrow(orb->string_to_object(ior::to_string(other)))
               ->files();
  } catch (const CORBA::OBJECT_NOT_EXIST&) {
    why_ = "the server does not tell its interfaces";
    return;
  } catch (const CORBA::TRANSIENT&) {  // as the call itself would end
    throw;
  } catch (const CORBA::COMM_FAILURE&) {
    throw;
  } catch (const CORBA::TIMEOUT&) {
    throw;
  } catch (const CORBA::SystemException& exception) {
    why_ = std::string("the server does not tell its interfaces: ") + exception.what();
    return;
  }
  std::size_t octets = 0;
  for (const auto& file : told) octets += file.text().size();
  if (told.size() > kMostFiles || octets > kMostOctets)
    throw std::runtime_error("the server tells more IDL than is read");
  std::string folder = (std::filesystem::temp_directory_path() / "corbel_idl_XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("cannot make a folder for IDL in " + folder);
  folder_ = folder;
  try {
    for (const auto& file : told) write(file.path(), file.text(), file.is_root());
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    throw;
  }
  files_.include_dirs.push_back(folder_.string());
  if (files_.idl.empty()) why_ = "the server tells no interfaces";
}

void Reflected::write(const std::string& path, const std::vector<std::uint8_t>& text, bool is_root) {
  const std::string content(text.begin(), text.end());
  if (!path_is_harmless(path) || !includes_are_harmless(content)) {
    throw std::runtime_error("the server tells IDL that is not read here: its paths or #include lines lead elsewhere");
  }
  const auto place = folder_ / path;
  std::error_code failed;
  std::filesystem::create_directories(place.parent_path(), failed);
  std::ofstream file(place, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + place.string());
  if (is_root) files_.idl.push_back(place.string());
}

Reflected::~Reflected() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace corbel::tool
