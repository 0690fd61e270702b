// SPDX-License-Identifier: Apache-2.0
package peer;

import Dynamic.Mirror;
import org.omg.CORBA.Any;

/** Fixed-point numbers of tests/interop/dynamic, which GlassFish's IDL compiler does not know. */
final class Money {
  /** What Mirror::make makes. */
  static final String[] MADE = {"Point", "Node", "Choice", ""};

  private Money() {}

  static void insert(Any any, String text) {
    any.insert_fixed(new java.math.BigDecimal(text), any.type());
  }

  static String text(Any any) {
    return null;
  }

  static void check(Client client, Mirror mirror) {}

  /** The operations of Dynamic::Mirror that need them are left out. */
  abstract static class MirrorBase extends Dynamic.MirrorPOA {}
}
