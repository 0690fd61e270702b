// SPDX-License-Identifier: Apache-2.0
#include "reflected.hpp"

#include <gtest/gtest.h>

namespace corbel::tool {
namespace {

TEST(ReflectedTest, PathsStayInTheirFolder) {
  for (const char* good : {"a.idl", "sub/b-1.idl", "a/b/c_d.idl"}) EXPECT_TRUE(path_is_harmless(good)) << good;
  for (const char* bad : {"", "/etc/passwd", "../a.idl", "a/../../b", "a\\b", "a b", "a\n", "a/", "~x", "$x"})
    EXPECT_FALSE(path_is_harmless(bad)) << bad;
  EXPECT_FALSE(path_is_harmless(std::string(300, 'a')));
}

TEST(ReflectedTest, IncludesLeadNowhereElse) {
  for (const char* good : {"module M {};", "#include \"a.idl\"\n#include <sub/b.idl>", "  #  include \"a.idl\" // x",
                           "#ifndef X\n#define X\n#endif\n#pragma prefix \"omg.org\"\r\n", "const string s = \"#\";"})
    EXPECT_TRUE(includes_are_harmless(good)) << good;
  for (const char* bad : {"#include \"/dev/zero\"",
                          "#include </etc/passwd>",
                          "#include \"../x\"",
                          "#define X \"/x\"\n#include X",
                          "#inc\\\nlude \"/x\"",
                          "/**/ #include \"/x\"",
                          "# /**/ include \"/x\"",
                          "\?\?=include \"/x\"",
                          "%:include \"/x\"",
                          "a\r#include \"/x\"",
                          "#import \"/x\"",
                          "#include_next \"/x\"",
                          "#include \"a",
                          "#include",
                          "#\\\ninclude \"/x\"",
                          "# /*\n*/ include \"/x\"",
                          "/**/ # /*\n*/ include \"/x\"",
                          "#line 1 \"/etc/passwd\"",
                          "# 1 \"/x\"",
                          "#pragma __setlocale(\"C\")",
                          "\x1b[2J"})
    EXPECT_FALSE(includes_are_harmless(bad)) << bad;
  EXPECT_FALSE(includes_are_harmless(std::string("a\0b", 3)));
}

}  // namespace
}  // namespace corbel::tool
