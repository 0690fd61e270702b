// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <vector>

#include "corbel/mapping/fixed.hpp"
#include "corbel/mapping/map.hpp"
#include "corbel/mapping/print.hpp"

namespace corbel::mapping::detail {

template <class T>
inline constexpr bool kContainer = false;
template <class T, class A>
inline constexpr bool kContainer<std::vector<T, A>> = true;
template <class T, std::size_t N>
inline constexpr bool kContainer<std::array<T, N>> = true;
template <class K, class V, class L, class A>
inline constexpr bool kContainer<std::map<K, V, L, A>> = true;
template <class T, std::uint32_t N>
inline constexpr bool kContainer<IDL::bounded_vector<T, N>> = true;
template <class K, class V, std::uint32_t N>
inline constexpr bool kContainer<IDL::bounded_map<K, V, N>> = true;

}  // namespace corbel::mapping::detail

// For programs that expect of an implementation of the mapping that what it maps IDL's types to can be written to a
// stream even where C++ has no operator for it. They are in the global namespace, where those programs are. As
// IDL::traits<T>::write writes them.

/// Sequences, arrays and maps. An operator of the program's own for one of the containers is more specialised, and so
/// the one that is taken.
template <class Container>
requires corbel::mapping::detail::kContainer<Container> std::ostream& operator<<(std::ostream& stream,
                                                                                 const Container& value) {
  corbel::mapping::print(stream, value);
  return stream;
}
inline std::ostream& operator<<(std::ostream& stream, const std::wstring& value) {
  corbel::mapping::print(stream, value);
  return stream;
}
inline std::ostream& operator<<(std::ostream& stream, wchar_t value) {
  corbel::mapping::print(stream, value);
  return stream;
}

namespace std {

/// A fixed as text by the name that numbers of C++ have; the same as its to_string().
template <uint16_t Digits, uint16_t Scale>
string to_string(const IDL::Fixed<Digits, Scale>& value) {
  return value.to_string();
}

}  // namespace std
