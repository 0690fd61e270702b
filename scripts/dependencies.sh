#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what a group of commands needs: dependencies.sh build|test|lint|fuzz|bench|peers|s390x|aarch64|elsewhere|package...
#
# Silent when nothing is missing. Otherwise installs the missing Debian packages as root or through a sudo that asks
# for no password; with neither it prints their names and stops with status 2.

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

packages_of() {
  local build="g++ cmake ninja-build libmcpp-dev libcli11-dev libgtest-dev nlohmann-json3-dev libssl-dev libsqlite3-dev libpq-dev libcurl4-openssl-dev libavahi-client-dev zlib1g-dev pkg-config python3"
  local peers="omniorb omniorb-nameserver omniidl omniorb-idl libomniorb4-dev"
  local java="default-jdk-headless maven" tango="tango-test python3-tango"
  case $1 in
    build) echo "$build" ;;
    test) echo "$build $peers $java $tango openssl tshark python3 python3-venv pkg-config git strace valgrind dpkg-dev file iproute2 libasio-dev libglib2.0-dev postgresql etcd-server zsh fish lld" ;;
    lint) echo "$build clang-format-14 clang-tidy-14 shellcheck python3 git" ;;
    fuzz) echo "$build clang-14 libclang-rt-14-dev llvm-14" ;;
    bench) echo "$build $peers valgrind strace python3 python3-venv libtirpc-dev rpcsvc-proto iproute2 util-linux" ;;
    peers) echo "libzmq3-dev libcapnp-dev capnproto libzeroc-ice-dev zeroc-ice-compilers libgrpc++-dev libprotobuf-dev \
      protobuf-compiler-grpc openmpi-bin libopenmpi-dev pvm pvm-dev default-jdk-headless maven" ;;
    s390x | aarch64) echo "$build g++-$1-linux-gnu qemu-user-static" ;;
    elsewhere) echo "debootstrap git tar util-linux" ;;
    elsewhere_tests) echo "$build git openssl tshark strace iproute2 libasio-dev libglib2.0-dev" ;;
    docs) echo "python3 git doxygen" ;;
    package) echo "dpkg-dev file" ;;
    *) fail "dependencies.sh: no group '$1'" ;;
  esac
}

missing_of() {
  local package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -q '^installed' || echo "$package"
  done
}

apt_get() {
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo -n)
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300 "$@"
}

install_packages() {
  logged apt-update apt_get update || return
  logged apt-install apt_get install --no-install-recommends "$@"
}

wanted=()
for group in "$@"; do
  read -ra words <<<"$(packages_of "$group")"
  wanted+=("${words[@]}")
done
mapfile -t missing < <(missing_of "${wanted[@]}" | sort -u)
[ ${#missing[@]} -gt 0 ] || exit 0

line="apt-get install --no-install-recommends ${missing[*]}"
command -v apt-get >/dev/null || fail "this is not Debian; please install what these packages hold: ${missing[*]}"
if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
  printf 'dev: these Debian packages are missing: %s\ndev: install them as root with\n  %s\n' "${missing[*]}" "$line" >&2
  exit 2
fi
start=$SECONDS
say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
install_packages "${missing[@]}" || {
  echo "dev: the installation failed; trying once more" >&2
  install_packages "${missing[@]}" || fail "could not install: $line"
}
echo "Installed in $((SECONDS - start)) s."
