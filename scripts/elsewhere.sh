#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and tests with other compilers: Debian's newest stable, clang, libc++.
#
# usage: ./dev elsewhere [--release NAME] [--with COMPILER] [--filter REGEX] [--remove]
#
#   --release NAME    which Debian release (default: trixie, whose g++ is 14 and clang 19)
#   --with COMPILER   gcc (default), clang (with libstdc++), or libc++ (clang with its own standard library)
#   --filter REGEX    only tests whose name matches
#   --remove          remove the root of that release and what was built there
#
# As root. The checkout, with what is not committed, is copied to a root of its own (debootstrap) in
# ${TMPDIR:-/tmp}/corbel-elsewhere/NAME, which is kept for the next time; 3 GB, 15 to 30 minutes of two processors. The
# laboratory and the tests with other ORBs are left out.

# shellcheck source=scripts/common.sh
. "$(dirname -- "$0")/common.sh"

release=trixie with=gcc filter=() remove=
while [ $# -gt 0 ]; do
  first_is_help "$1"
  case $1 in
    --release) release=${2:?--release needs a name} && shift ;;
    --with) with=${2:?--with needs gcc, clang or libc++} && shift ;;
    --filter) filter=(-R "${2:?--filter needs a regular expression}") && shift ;;
    --remove) remove=yes ;;
    *) fail "elsewhere: unknown argument '$1' (see ./dev elsewhere --help)" ;;
  esac
  shift
done
[[ $release =~ ^[a-z]+$ ]] || fail "elsewhere: '$release' is no name of a Debian release"
case $with in
  gcc) more=() settings=() ;;
  clang) more=(clang) settings=(-DCMAKE_CXX_COMPILER=clang++) ;;
  libc++) more=(clang libc++-dev libc++abi-dev) settings=(-DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS=-stdlib=libc++) ;;
  *) fail "elsewhere: no compiler '$with': gcc, clang or libc++" ;;
esac
[ "$(id -u)" = 0 ] || fail "elsewhere: only root can make a root"
# In a name space of its own, so that what is mounted goes with this process.
[ -n "${CORBEL_ELSEWHERE:-}" ] || CORBEL_ELSEWHERE=1 exec unshare -m bash "$0" --release "$release" --with "$with" "${filter[@]/#-R/--filter}" ${remove:+--remove}

there=${TMPDIR:-/tmp}/corbel-elsewhere/$release
if [ -n "$remove" ]; then
  rm -rf --one-file-system "$there"
  exit
fi
need elsewhere
if [ ! -e "$there/complete" ]; then
  say "Making a root of $release in $there"
  rm -rf --one-file-system "$there"
  mkdir -p "$there"
  logged elsewhere-root env -u TMPDIR debootstrap --variant=minbase "$release" "$there"
  touch "$there/complete"
fi
cp /etc/resolv.conf /etc/hosts "$there/etc/"
mount -t proc proc "$there/proc"
mount --rbind /dev "$there/dev"
mount -t tmpfs tmpfs "$there/dev/shm"
mount -t tmpfs tmpfs "$there/tmp"

inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$there" bash -ec 'cd /srv/corbel && "$@"' inside "$@"; }
say "Copying the checkout"
mkdir -p "$there/srv/corbel"
find "$there/srv/corbel" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- | tar --extract --no-same-owner --directory "$there/srv/corbel"
inside bash scripts/dependencies.sh build elsewhere_tests
inside sh -c 'git init -q && git add -A' 2>/dev/null # what checks the house asks git which files there are
[ ${#more[@]} -eq 0 ] || logged elsewhere-packages inside apt-get install -y --no-install-recommends "${more[@]}"

say "Building with $with: $(inside "$([ "$with" = gcc ] && echo g++ || echo clang++)" --version | head -n 1)"
logged elsewhere-configure inside cmake --preset release -B "build/$with" -DCORBEL_BENCH=OFF -DCORBEL_INTEROP=OFF "${settings[@]}"
inside cmake --build "build/$with" -j "$(processors)"
# Three tests are of Debian 12's packages and the size of its headers; for root newer Wiresharks run no Lua.
left_out='^(house\.(header_budget|package|half_peer)|idl\.wireshark)$'
say "Testing"
inside ctest --test-dir "build/$with" --output-on-failure --no-tests=error --no-label-summary --timeout 300 -j "$(processors)" -LE interop -E "$left_out" "${filter[@]}"
