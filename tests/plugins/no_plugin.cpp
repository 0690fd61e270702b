// SPDX-License-Identifier: Apache-2.0
// A shared object like any other.
extern "C" [[gnu::visibility("default")]] int nothing_of_interest();
extern "C" int nothing_of_interest() {
  return 42;
}
