// SPDX-License-Identifier: Apache-2.0
package com.sun.corba.ee.impl.encoding;

/** GlassFish's converters of characters, of which every thread has its own. */
public final class Converters {
  private Converters() {}

  /** Makes this thread's: where the first string that one converts is empty, it fails for a char after that. */
  public static void prepare() {
    CodeSetConversion.impl().getCTBConverter(OSFCodeSetRegistry.UTF_8, false, false).convert("prepared");
  }
}
