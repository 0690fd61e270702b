# SPDX-License-Identifier: Apache-2.0
"""Corbel for Conan 2: `conan create packaging/conan` from a checkout. The laboratory, tests and examples are not built."""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd, cross_building
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir
from conan.tools.system.package_manager import Apt, Dnf

ROOT = os.path.join("..", "..")


class CorbelConan(ConanFile):
    name = "corbel"
    description = "CORBA object request broker in C++20, its IDL compiler and its tools"
    license = "Apache-2.0"
    topics = ("corba", "orb", "giop", "iiop", "idl", "middleware")
    package_type = "shared-library"  # with the static one beside it: Corbel::corbel, Corbel::corbel_static
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "tls": [True, False],  # the transport
        "ziop": [True, False],  # compressed GIOP
        "tracing": [True, False],  # libcurl: spans for OpenTelemetry, and names in etcd
        "named": [True, False],  # the naming service corbel-named
        "postgresql": [True, False],  # for several corbel-named that share the names
    }
    default_options = {"tls": True, "ziop": True, "tracing": True, "named": True, "postgresql": False}

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, ROOT, "CMakeLists.txt"))
        self.version = self.version or re.search(r"project\(Corbel VERSION (\S+)", text).group(1)

    def export_sources(self):
        source = os.path.join(self.recipe_folder, ROOT)
        for name in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md"):
            copy(self, name, source, self.export_sources_folder)
        for folder in ("cmake", "docs", "examples", "idl", "scripts", "services", "src", "tests/conformance", "tests/support", "tools"):
            copy(self, "*", os.path.join(source, folder), os.path.join(self.export_sources_folder, folder))

    def configure(self):
        if not self.options.named:
            self.options.rm_safe("postgresql")

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("Corbel is for Linux")

    def requirements(self):
        if self.options.tls:
            self.requires("openssl/[>=3 <4]")
        if self.options.ziop:
            self.requires("zlib/[>=1.2.11 <2]")
        if self.options.tracing:
            self.requires("libcurl/[>=7.78 <9]")
        if self.options.named:
            self.requires("sqlite3/[>=3.40 <4]", visible=False)
        if self.options.get_safe("postgresql"):
            self.requires("libpq/[>=14 <18]", visible=False)
        self.requires("nlohmann_json/[>=3.11 <4]", visible=False)
        self.requires("cli11/[>=2.3 <3]", visible=False)

    def system_requirements(self):
        # The preprocessor in the IDL compiler, of which no recipe is known.
        Apt(self).install(["libmcpp-dev"])
        Dnf(self).install(["libmcpp-devel"])

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25 <5]")
        if cross_building(self):
            self.tool_requires(f"corbel/{self.version}")

    def generate(self):
        toolchain = CMakeToolchain(self)
        for option in ("TESTS", "EXAMPLES", "BENCH"):
            toolchain.cache_variables[f"CORBEL_{option}"] = False
        # What is left out is not taken from the system, either.
        for option, package in (("tls", "OpenSSL"), ("ziop", "ZLIB"), ("tracing", "CURL"), ("named", "SQLite3"), ("postgresql", "PostgreSQL")):
            if not self.options.get_safe(option):
                toolchain.cache_variables[f"CMAKE_DISABLE_FIND_PACKAGE_{package}"] = True
        if cross_building(self):
            compiler = os.path.join(self.dependencies.build["corbel"].package_folder, "bin", "corbel-idl")
            toolchain.cache_variables["CORBEL_IDL_COMPILER"] = compiler
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))  # its prefix is not Conan's business
        rmdir(self, os.path.join(self.package_folder, "lib", "systemd"))

    def package_info(self):
        # Users find Corbel's own files for CMake, which bring corbel_idl_generate(), too.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "Corbel")]
        self.cpp_info.libs = ["corbel"]
        self.cpp_info.system_libs = ["pthread"]
