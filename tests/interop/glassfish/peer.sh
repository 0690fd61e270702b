#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the GlassFish peer: peer.sh SOURCES OUTPUT
#
# Fetches the jars that pom.xml names, compiles the IDL and the Java sources, and writes the programs server, client,
# mirror_server, mirror_client, values_server, values_client, deferred_client, naming_client and naming_server. Anything that goes wrong ends it with status 1.
set -euo pipefail
sources=$1 output=$2
# shellcheck source=tests/interop/java/build.sh
. "$sources/../java/build.sh"
mkdir -p "$output"
cd -- "$output"
fetch_jars "$sources" glassfish-corba-orb-4.2.5.jar

# What GlassFish's compiler cannot read, or turns into Java that javac cannot (docs/interoperability.md).
rm -rf idl generated
mkdir -p idl generated
sed -e 's/const Colour kColour = blue;/const long kColour = 2;/' -e 's/case 65535:/case 9:/' \
  -e 's/union WideUnion switch (long long)/union WideUnion switch (long)/' -e 's/case -5000000000:/case -5:/' \
  "$sources/../interop.idl" >idl/interop.idl
sed -e '/Money;$/d' -e '/Money cost/d' -e '/Money twice/d' "$sources/../dynamic/dynamic.idl" >idl/dynamic.idl
cp "$sources/../values/values.idl" "$sources/../deferred/deferred.idl" idl/
(cd idl && jar xf ../jars/idlj-4.2.4.jar includes)
idlj() {
  local said
  said=$(java -cp "$(printf '%s:' jars/*.jar)" com.sun.tools.corba.ee.idl.toJavaPortable.Compile -td generated -i idl -i idl/includes "$@" 2>&1)
  if [ -n "$said" ]; then  # its status is 0 whatever happens
    printf '%s\n' "$said" >&2
    exit 1
  fi
}
idlj -fallTIE idl/interop.idl
for name in interop dynamic values deferred; do idlj -fall "idl/$name.idl"; done
rm generated/Graph/*DefaultFactory.java                         # of classes that nobody has written
sed -i 's/int\[\]Holder/Graph.LongsHolder/g' generated/Graph/*.java
# Where no type is declared it makes values of the classes that their repository ids name, and asks no factory.
mkdir -p generated/corbel/test/Graph
for name in Base Derived Plain ThingValue; do
  printf 'package corbel.test.Graph;\n\npublic class %s extends Graph.%s {}\n' "$name" "$name" >"generated/corbel/test/Graph/$name.java"
done
# TypeCodes: of a sequence of what it is in, of arrays of arrays (the wrong way round), of a member with two labels.
sed -i 's/create_recursive_tc ("")/create_sequence_tc (0, org.omg.CORBA.ORB.init ().create_recursive_tc (_id))/' \
  generated/Interop/TreeHelper.java generated/Dynamic/NodeHelper.java
perl -0pi -e 's/create_array_tc \(2, (\w+) \);(\s+\w+ = [^;]*?)create_array_tc \(3, /create_array_tc (3, $1 );$2create_array_tc (2, /g' \
  generated/*/*Helper.java
awk '/= new org.omg.CORBA.UnionMember \($/ { sub(/\[[0-9]+\]/, "[" n++ "]") } { print }' generated/Interop/LongUnionHelper.java >fixed.java
mv fixed.java generated/Interop/LongUnionHelper.java
compile_java "$sources" "$sources/../java"
suite_programs
program naming_client NamingClient
program naming_server NamingServer
