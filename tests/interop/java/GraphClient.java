// SPDX-License-Identifier: Apache-2.0
package peer;

import static peer.GraphValues.describe;

import Graph.Base;
import Graph.BaseHolder;
import Graph.Derived;
import Graph.LongsHolder;
import Graph.Mirror;
import Graph.Node;
import Graph.Pair;
import Graph.Secret;
import Graph.Thing;
import Graph.ThingValue;
import java.util.Arrays;
import org.omg.CORBA.Any;
import org.omg.CORBA.BooleanHolder;
import org.omg.CORBA.ORB;

/** The checks of the client of tests/interop/values. */
final class GraphClient {
  private final Client client;
  private final ORB orb;
  private final Mirror mirror;

  GraphClient(Client client, ORB orb, Mirror mirror) {
    this.client = client;
    this.orb = orb;
    this.mirror = mirror;
  }

  private static void same(String found, String expected) {
    Client.require(found.equals(expected), "found " + found + " instead of " + expected);
  }

  private void checkValues() {
    Base base = GraphValues.filled(new GraphValues.BaseValue(), 1, "one");
    Derived derived = GraphValues.derived(new GraphValues.DerivedValue(), 2, "two", 3, base);
    Derived lone = GraphValues.derived(new GraphValues.DerivedValue(), 5, "five", 6, null);
    GraphValues.PlainValue plain = GraphValues.filled(new GraphValues.PlainValue(), 4, "four");
    plain.d = 0.5;
    for (Base value : new Base[] {null, base, derived, plain, lone}) {
      client.check("describe " + describe(value), () -> same(mirror.describe(value), describe(value)));
      client.check("echo " + describe(value), () -> same(describe(mirror.echo(value)), describe(value)));
    }
    client.check("shared between parameters", () -> {
      Base other = GraphValues.filled(new GraphValues.BaseValue(), 1, "one");
      Client.require(mirror.same(base, base) && !mirror.same(base, other), "identity");
    });
    client.check("shared between results", () -> {
      BaseHolder b = new BaseHolder(derived);
      BaseHolder c = new BaseHolder();
      mirror.three(base, b, c);
      same(describe(b.value) + " " + describe(c.value), "1 one 2 two +3 (1 one)");
      Client.require(b.value == ((Derived) c.value).link, "identity");
    });
    client.check("truncation", () -> {
      Secret secret = GraphValues.filled(new GraphValues.SecretValue(), 10, "secret");
      secret.d = 1.5;
      secret.inner = derived;
      secret.more = "more";
      same(mirror.describe(secret), "10 secret");
      Pair pair = mirror.two(new Pair(secret, GraphValues.filled(new GraphValues.BaseValue(), 12, "after"), "label"));
      same(describe(pair.first) + " " + describe(pair.second) + " " + pair.label, "10 secret 12 after label");
    });
  }

  private void checkOthers() {
    client.check("a graph with circles", () -> {
      Node a = new GraphValues.NodeValue();
      Node b = new GraphValues.NodeValue();
      a.name = "a";
      b.name = "b";
      a.edges = new Node[] {b, b, a};
      b.edges = new Node[] {a, null};
      Node back = mirror.graph(a);
      Client.require(back.name.equals("a") && back.edges.length == 3 && back.edges[0] == back.edges[1]
          && back.edges[2] == back && back.edges[0].edges[0] == back && back.edges[0].edges[1] == null, "shape");
    });
    client.check("boxes", () -> {
      LongsHolder longs = new LongsHolder(new int[] {1, 2});
      same(mirror.boxed("box", longs), "box");
      Client.require(Arrays.equals(longs.value, new int[] {1, 2, 99}), "sequence");
      longs.value = null;
      Client.require(mirror.boxed(null, longs) == null && longs.value == null, "none");
    });
    client.check("things", () -> {
      BooleanHolder isValue = new BooleanHolder();
      ThingValue seven = new GraphValues.ThingImpl();
      seven.n = 7;
      Thing thing = mirror.what(seven, isValue);
      Client.require(isValue.value && ((ThingValue) thing).n == 7, "value");
      thing = mirror.what(mirror, isValue);
      Client.require(!isValue.value && ((org.omg.CORBA.Object) thing)._is_equivalent(mirror), "object");
      Client.require(mirror.what(null, isValue) == null && !isValue.value, "none");
    });
  }

  /** Boxes in Anys JacORB writes as Java objects; TypeCodes of derived valuetypes it makes without their bases. */
  private void checkAnys() {
    Base base = GraphValues.filled(new GraphValues.BaseValue(), 1, "one");
    client.check("a value in an any", () -> {
      Any any = orb.create_any();
      Graph.BaseHelper.insert(any, base);
      same(mirror.describe_any(any), "1 one");
      same(describe(Graph.BaseHelper.extract(mirror.echo_any(any))), "1 one");
    });
  }

  void run() {
    checkValues();
    checkOthers();
    checkAnys();
    mirror.shutdown();
  }
}
