#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the JacORB peer: peer.sh SOURCES OUTPUT
#
# Fetches the jars that pom.xml names, compiles the IDL and the Java sources, and writes the programs server, client,
# mirror_server, mirror_client, values_server, values_client, deferred_client, naming_client, naming_server,
# repository_server, group_server and group_client. Anything that goes wrong ends it with status 1.
set -euo pipefail
sources=$1 output=$2
# shellcheck source=tests/interop/java/build.sh
. "$sources/../java/build.sh"
mkdir -p "$output"
cd -- "$output"
fetch_jars "$sources" jacorb-3.9.jar

# What JacORB's compiler cannot read, or turns into Java that javac cannot (docs/interoperability.md).
mkdir -p idl generated
sed -e 's/case -5000000000:/case -5:/' -e 's/case 65535:/case 9:/' -e 's/in boolean e, in short f/in boolean e_, in short f/' \
  "$sources/../interop.idl" >idl/interop.idl
cp "$sources/../dynamic/dynamic.idl" "$sources/../values/values.idl" "$sources/../deferred/deferred.idl" "$sources/../groups/groups.idl" idl/
printf '#pragma prefix "omg.org"\nmodule CORBA { native TypeCode; };\n#pragma prefix ""\n' >idl/orb.idl
java -cp "$(printf '%s:' jars/*.jar)" org.jacorb.idl.parser -Iidl -d generated -forceOverwrite idl/interop.idl idl/dynamic.idl idl/values.idl idl/deferred.idl idl/groups.idl
java -cp "$(printf '%s:' jars/*.jar)" org.jacorb.idl.parser -ir -d generated -forceOverwrite "$sources/repository.idl"
compile_java "$sources" "$sources/../java"
suite_programs
program naming_client NamingClient
program naming_server NamingServer
program repository_server RepositoryServer
program group_server GroupServer
program group_client GroupClient
rm -rf repository_classes
mkdir repository_classes
cp -r classes/Stock repository_classes/
