// SPDX-License-Identifier: Apache-2.0
package peer;

import Dynamic.Mirror;
import Dynamic.MirrorHelper;
import java.util.Arrays;
import java.util.function.BiPredicate;
import org.omg.CORBA.Any;
import org.omg.CORBA.AnyHolder;
import org.omg.CORBA.ORB;

/** The checks of the client of tests/interop/dynamic. */
final class MirrorClient {
  private final Client client;
  private final ORB orb;
  private final Mirror mirror;

  MirrorClient(Client client, ORB orb, String ior) {
    this.client = client;
    this.orb = orb;
    mirror = MirrorHelper.narrow(orb.string_to_object(ior));
  }

  private void mirrored(Any any, String what) {
    mirrored(any, what, Any::equal);
  }

  private void mirrored(Any any, String what, BiPredicate<Any, Any> same) {
    client.check("echo_any " + what, () -> {
      Any other = orb.create_any();
      other.insert_string("b");
      AnyHolder inout = new AnyHolder(other);
      AnyHolder out = new AnyHolder();
      Any result = mirror.echo_any(any, inout, out);
      Client.require(same.test(result, any) && same.test(inout.value, any), "value");
      Client.require(out.value.extract_string().equals("b"), "out");
    });
    client.check("type of " + what, () -> {
      Client.require(mirror.same_type(any.type(), any), "type");
      Client.require(mirror.echo_type(any.type()).equal(any.type()), "TypeCode");
    });
  }

  void run() {
    MirrorServant here = new MirrorServant(orb);
    for (String what : Money.MADE) {
      Any any = here.make(what);
      mirrored(any, what);
      client.check("make " + what, () -> {
        Any made = mirror.make(what);
        String money = Money.text(any);
        Client.require(money == null ? made.equal(any) : money.equals(Money.text(made)), "value");
      });
      client.check("describe " + what, () -> Client.require(mirror.describe(any).equals(here.describe(any)), mirror.describe(any)));
    }
    Dynamic.Choice wide = new Dynamic.Choice();
    wide.text("gr\u00fc\u00dfe \u4e2d");
    Any any = orb.create_any();
    Dynamic.ChoiceHelper.insert(any, wide);
    mirrored(any, "wstring in a union");
    Any grid = orb.create_any();
    Dynamic.GridHelper.insert(grid, new int[][] {{1, 2, 3}, {4, 5, 6}});
    // GlassFish cannot compare Anys with arrays of arrays.
    mirrored(grid, "array", (a, b) -> Arrays.deepEquals(Dynamic.GridHelper.extract(a), Dynamic.GridHelper.extract(b)));
    Any nested = orb.create_any();
    nested.insert_any(any);
    mirrored(nested, "any");
    Money.check(client, mirror);
    mirror.shutdown();
  }
}
