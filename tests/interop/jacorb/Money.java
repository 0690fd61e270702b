// SPDX-License-Identifier: Apache-2.0
package peer;

import Dynamic.Mirror;
import Dynamic.MoneyHelper;
import java.math.BigDecimal;
import org.omg.CORBA.Any;
import org.omg.CORBA.TCKind;

/** Fixed-point numbers of tests/interop/dynamic, which not every IDL compiler for Java knows. */
final class Money {
  /** What Mirror::make makes. */
  static final String[] MADE = {"Point", "Node", "Choice", "Money", ""};

  private Money() {}

  static void insert(Any any, String text) {
    MoneyHelper.insert(any, new BigDecimal(text));
  }

  /** Null if it is none. JacORB cannot compare TypeCodes of fixed with others. */
  static String text(Any any) {
    try {
      boolean fixed = Values.resolved(any.type()).kind().value() == TCKind._tk_fixed;
      return fixed ? MoneyHelper.extract(any).toPlainString() : null;
    } catch (Exception impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  static void check(Client client, Mirror mirror) {
    client.check("twice", () -> {
      Client.require(mirror.twice(new BigDecimal("49999.99")).compareTo(new BigDecimal("99999.98")) == 0, "fixed");
      try {
        mirror.twice(new BigDecimal("-1.00"));
        Client.require(false, "no exception");
      } catch (Dynamic.Oops oops) {
        Client.require(oops.why.equals("negative") && oops.cost.compareTo(new BigDecimal("0.01")) == 0, "members");
      }
    });
  }

  /** The operations of Dynamic::Mirror that need them. */
  abstract static class MirrorBase extends Dynamic.MirrorPOA {
    @Override
    public BigDecimal twice(BigDecimal amount) throws Dynamic.Oops {
      if (amount.signum() < 0) throw new Dynamic.Oops("negative", new BigDecimal("0.01"));
      return amount.multiply(BigDecimal.valueOf(2));
    }
  }
}
