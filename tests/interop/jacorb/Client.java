// SPDX-License-Identifier: Apache-2.0
package peer;

import Dynamic.Mirror;
import Dynamic.MirrorHelper;
import Dynamic.MoneyHelper;
import Interop.CallbackPOA;
import Interop.Node;
import Interop.Whole.Suite;
import Interop.Whole.SuiteHelper;
import Interop.Whole.SuiteOperations;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import org.omg.CORBA.Any;
import org.omg.CORBA.AnyHolder;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.portable.Streamable;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** The JacORB client of the suite; with --dynamic that of tests/interop/dynamic, with --values of tests/interop/values. */
public final class Client {
  /** A check that may throw anything. */
  interface Check {
    void run() throws Exception;
  }

  private final Options options;
  private final ORB orb;
  private int passed;
  private int failed;

  private Client(Options options) {
    this.options = options;
    orb = options.orb();
  }

  void check(String name, Check check) {
    if (!name.contains(options.filter)) return;
    try {
      check.run();
      ++passed;
      System.out.println("ok " + name);
    } catch (Throwable thrown) {
      Throwable cause = thrown instanceof InvocationTargetException ? thrown.getCause() : thrown;
      ++failed;
      System.out.println("FAIL " + name + ": " + cause);
    }
  }

  static void require(boolean condition, String what) {
    if (!condition) throw new IllegalStateException(what);
  }

  // --- interop.idl ---

  /** References have checks of their own; bounded wide strings and the labels of two unions are beyond JacORB. */
  private static final Set<String> NOT_SAMPLED = Set.of("echo_node", "echo_object", "echo_node_seq", "echo_link",
      "echo_short_union", "echo_wide_union", "echo_bounded_wstring");

  private void checkValues(Suite suite) {
    for (Method method : SuiteOperations.class.getMethods()) {
      String name = method.getName();
      if (name.startsWith("echo_") && !NOT_SAMPLED.contains(name)) check(name, () -> echo(suite, method));
    }
  }

  private static void echo(Suite suite, Method method) throws Exception {
    Class<?> mapped = method.getReturnType();
    Class<?> holder = method.getParameterTypes()[1];
    TypeCode type = ((Streamable) holder.getConstructor().newInstance())._type();
    for (int seed = 0; seed < 5; ++seed) {
      Random random = new Random(seed);
      Object a = Values.sample(mapped, type, random, 0);
      Object b = Values.sample(mapped, type, random, 0);
      Object inout = holder.getConstructor().newInstance();
      Object out = holder.getConstructor().newInstance();
      holder.getField("value").set(inout, b);
      Object result = method.invoke(suite, a, inout, out);
      require(Values.same(result, a, type), "result, seed " + seed);
      require(Values.same(holder.getField("value").get(inout), a, type), "inout, seed " + seed);
      require(Values.same(holder.getField("value").get(out), Values.twist(b, type), type), "out, seed " + seed);
    }
  }

  private void checkBasics(Suite suite) {
    SuiteServant here = new SuiteServant(orb, null);
    check("mixed", () -> require(suite.mixed((byte) 200, 1.5, 'x', -5L, true, (short) 3, "g", 9)
        .equals(here.mixed((byte) 200, 1.5, 'x', -5L, true, (short) 3, "g", 9)), "text"));
    check("attributes", () -> {
      suite.level(7);
      suite.label("l\u00e4bel");
      suite.values(new int[] {1, 2});
      suite.shade(Interop.Colour.blue);
      require(suite.level() == 7 && suite.label().equals("l\u00e4bel") && suite.values().length == 2, "values");
      require(suite.shade() == Interop.Colour.blue && suite.ratio() == 0.125, "enum, readonly");
    });
    check("large", () -> {
      byte[] octets = suite.make_octets(1 << 20);
      require(suite.sum_octets(octets) == new SuiteServant(orb, null).sum_octets(octets), "sum");
      require(Arrays.equals(suite.twist_octets(suite.twist_octets(octets)), octets), "twisted twice");
    });
    check("keywords", () -> require(suite.module() == 77 && suite.delete(4, 2) == 42, "operations"));
    check("oneway", () -> {
      long before = suite.fired();
      for (int i = 1; i <= 100; ++i) suite.fire(i);
      suite.fire_text("four", new byte[100]);
      while (suite.fired() != before + 5154) Thread.yield();
    });
  }

  private void checkFailures(Suite suite) {
    org.omg.CORBA.StringHolder note = new org.omg.CORBA.StringHolder();
    check("raise_user", () -> {
      require(suite.raise_user(0, note) == 0 && note.value.equals("nothing raised"), "nothing");
      try {
        suite.raise_user(2, note);
        require(false, "no exception");
      } catch (Interop.Detail detail) {
        require(detail.why.equals("because") && detail.code == -7 && detail.values.length == 3, "members");
      }
      try {
        suite.raise_user(3, note);
        require(false, "no exception");
      } catch (Interop.Renamed renamed) {
        require(renamed.stamp == (1L << 40) + 1, "stamp");
      }
    });
    for (String name : new String[] {"TRANSIENT", "NO_PERMISSION", "TIMEOUT", "DATA_CONVERSION", "BAD_QOS"}) {
      check("raise_" + name, () -> {
        try {
          suite.raise_system(name, 5, 2);
          require(false, "no exception");
        } catch (SystemException caught) {
          require(caught.getClass().getSimpleName().equals(name), caught.toString());
          require(caught.minor == 5 && caught.completed == CompletionStatus.COMPLETED_MAYBE, caught.toString());
        }
      });
    }
    for (Check unknown : new Check[] {suite::raise_unlisted, suite::raise_foreign}) {
      check("raise_unknown", () -> {
        try {
          unknown.run();
          require(false, "no exception");
        } catch (org.omg.CORBA.UNKNOWN expected) {
          require(expected.getMessage() != null, "message");
        }
      });
    }
  }

  private void checkReferences(Suite suite, POA poa) {
    check("references", () -> {
      Node made = suite.make_node("made");
      Interop.NodeHolder inout = new Interop.NodeHolder(suite.self());
      Interop.NodeHolder out = new Interop.NodeHolder();
      require(suite.echo_node(made, inout, out).name().equals("made") && out.value.name().equals("suite"), "echo");
      require(suite.name_of(null).equals("nil") && suite.name_of(made).equals("made"), "names");
      require(suite._is_a("IDL:corbel.test/Interop/Node:2.1") && !suite._is_a("IDL:x:1.0"), "is_a");
      suite.destroy_node(made);
      require(made._non_existent(), "destroyed");
    });
    check("location_forward", () -> require(suite.forwarded().name().equals("suite"), "name"));
    check("call_back", () -> {
      Interop.Callback callback = Interop.CallbackHelper.narrow(poa.servant_to_reference(new CallbackPOA() {
        @Override
        public String _notify(String text, int depth) throws Interop.Empty {
          if (depth < 0) throw new Interop.Empty();
          return depth == 0 ? text : suite.call_back(_this(), text, depth - 1);
        }

        @Override
        public void poke(int amount) {}
      }));
      require(suite.call_back(callback, "x", 2).equals("[[[x]]]"), "nested");
      try {
        suite.call_back(callback, "x", -1);
        require(false, "no exception");
      } catch (Interop.Empty expected) {
        require(expected.getMessage() != null, "message");
      }
    });
  }

  private void runSuite() throws Exception {
    POA poa = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    poa.the_POAManager().activate();
    Suite suite = SuiteHelper.narrow(orb.string_to_object(options.ior));
    checkValues(suite);
    checkBasics(suite);
    checkFailures(suite);
    checkReferences(suite, options.callbackPoa(orb, poa));
    suite.shutdown();
  }

  // --- dynamic.idl ---

  private void mirrored(Mirror mirror, Any any, String what) {
    check("echo_any " + what, () -> {
      Any other = orb.create_any();
      other.insert_string("b");
      AnyHolder inout = new AnyHolder(other);
      AnyHolder out = new AnyHolder();
      require(mirror.echo_any(any, inout, out).equal(any) && inout.value.equal(any), "value");
      require(out.value.extract_string().equals("b"), "out");
      require(mirror.same_type(any.type(), any), "type");
      require(mirror.echo_type(any.type()).equal(any.type()), "TypeCode");
    });
  }

  private void runMirror() {
    Mirror mirror = MirrorHelper.narrow(orb.string_to_object(options.ior));
    MirrorServant here = new MirrorServant(orb);
    for (String what : new String[] {"Point", "Node", "Choice", "Money", ""}) {
      Any any = here.make(what);
      mirrored(mirror, any, what);
      check("make " + what, () -> {
        Any made = mirror.make(what);
        boolean fixed = MirrorServant.isFixed(any);
        require(fixed ? MoneyHelper.extract(made).equals(MoneyHelper.extract(any)) : made.equal(any), "value");
      });
      check("describe " + what, () -> require(mirror.describe(any).equals(here.describe(any)), mirror.describe(any)));
    }
    Dynamic.Choice wide = new Dynamic.Choice();
    wide.text("gr\u00fc\u00dfe \u4e2d");
    Any any = orb.create_any();
    Dynamic.ChoiceHelper.insert(any, wide);
    mirrored(mirror, any, "wstring in a union");
    Any grid = orb.create_any();
    Dynamic.GridHelper.insert(grid, new int[][] {{1, 2, 3}, {4, 5, 6}});
    mirrored(mirror, grid, "array");
    Any nested = orb.create_any();
    nested.insert_any(any);
    mirrored(mirror, nested, "any");
    check("twice", () -> {
      require(mirror.twice(new BigDecimal("49999.99")).compareTo(new BigDecimal("99999.98")) == 0, "fixed");
      try {
        mirror.twice(new BigDecimal("-1.00"));
        require(false, "no exception");
      } catch (Dynamic.Oops oops) {
        require(oops.why.equals("negative") && oops.cost.compareTo(new BigDecimal("0.01")) == 0, "members");
      }
    });
    mirror.shutdown();
  }

  // --- values.idl ---

  private void runValues() throws Exception {
    POA poa = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    poa.the_POAManager().activate();
    GraphValues.registerFactories(orb, true);
    new GraphClient(this, orb, Graph.MirrorHelper.narrow(orb.string_to_object(options.ior))).run();
  }

  public static void main(String[] arguments) throws Exception {
    Options options = new Options(arguments);
    Client client = new Client(options);
    if (options.dynamic) {
      client.runMirror();
    } else if (options.values) {
      client.runValues();
    } else {
      client.runSuite();
    }
    System.out.println("done: " + client.passed + " ok, " + client.failed + " failed");
    System.exit(client.failed == 0 && client.passed > 0 ? 0 : 1);
  }
}
