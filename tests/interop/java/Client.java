// SPDX-License-Identifier: Apache-2.0
package peer;

import Interop.CallbackPOA;
import Interop.Node;
import Interop.Whole.Suite;
import Interop.Whole.SuiteHelper;
import Interop.Whole.SuiteOperations;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.portable.Streamable;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** The client of the suite in Java; with --dynamic, --values or --deferred that of the folder of this name. */
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
    orb = Vendor.orb(options);
  }

  void check(String name, Check check) {
    if (!name.contains(options.filter)) return;
    String beyond = Vendor.BEYOND.getOrDefault(name, Vendor.BEYOND.get(name + " in GIOP " + options.giop));
    if (beyond == null) beyond = Vendor.BEYOND.get(name + " over " + options.endpoint);
    if (beyond == null) beyond = Vendor.BEYOND.get(name + " in " + options.charSet);
    if (beyond != null) {
      System.out.println("skip " + name + ": " + beyond);
      return;
    }
    if (options.giop.equals("1.0") && (name.contains("wchar") || name.contains("wstring") || name.equals("echo_wides"))) {
      System.out.println("skip " + name + ": GIOP 1.0 has no wide characters");
      return;
    }
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

  /** References have checks of their own. */
  private static final Set<String> REFERENCES = Set.of("echo_node", "echo_object", "echo_node_seq", "echo_link");

  private void checkValues(Suite suite) {
    for (Method method : SuiteOperations.class.getMethods()) {
      String name = method.getName();
      if (name.startsWith("echo_") && !REFERENCES.contains(name)) check(name, () -> echo(suite, method));
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
    check("beyond_4_mib", () -> {
      byte[] octets = suite.make_octets((5 << 20) + 3);
      require(octets.length == (5 << 20) + 3, "made");
      require(suite.sum_octets(octets) == new SuiteServant(orb, null).sum_octets(octets), "sum");
    });
    check("keywords", () -> require(Vendor.module(suite) == 77 && suite.delete(4, 2) == 42, "operations"));
    check("oneway", () -> {
      long before = suite.fired();
      for (int i = 1; i <= 100; ++i) suite.fire(i);
      suite.fire_text("four", new byte[100]);
      while (suite.fired() != before + 5154) Thread.yield();
    });
  }

  private static void echo(Suite suite, String text) {
    org.omg.CORBA.StringHolder inout = new org.omg.CORBA.StringHolder(text);
    org.omg.CORBA.StringHolder out = new org.omg.CORBA.StringHolder();
    String result = suite.echo_string(text, inout, out);
    require(result.equals(text) && inout.value.equals(text) && out.value.length() == text.length(), result);
  }

  private void checkCodeSets(Suite suite) {
    check("code_set_latin1", () -> echo(suite, "caf\u00e9 \u00ff"));
    check("code_set_beyond", () -> {
      try {
        echo(suite, "\u20ac \u4e2d");
      } catch (org.omg.CORBA.DATA_CONVERSION refused) {
        require(!options.charSet.equals("UTF-8"), refused.toString());
        echo(suite, "after it");
      }
    });
    check("code_set_wide", () -> {
      org.omg.CORBA.StringHolder inout = new org.omg.CORBA.StringHolder("");
      String result = suite.echo_wstring("\u20ac \u4e2d", inout, new org.omg.CORBA.StringHolder());
      require(result.equals("\u20ac \u4e2d") && inout.value.equals(result), result);
    });
  }

  private void checkContexts(Suite suite) {
    check("contexts", () -> {
      int before = Contexts.ANSWERED.get();
      for (int i = 0; i < 60; ++i) suite.ping();
      try {
        suite.raise_system("NO_PERMISSION", 1, 1);
      } catch (org.omg.CORBA.NO_PERMISSION expected) {
        // answered, too
      }
      int answered = Contexts.ANSWERED.get() - before;
      require(answered == 61 && Contexts.WRONG.get() == 0, answered + " right, " + Contexts.WRONG.get() + " wrong");
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

  private static boolean gone(Node node) {
    try {
      return node._non_existent();
    } catch (org.omg.CORBA.OBJECT_NOT_EXIST raised) {
      return Vendor.NON_EXISTENT_RAISES;
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
      require(gone(made), "destroyed");
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
    checkReferences(suite, Vendor.callbackPoa(options, orb, poa));
    if (!options.charSet.isEmpty()) checkCodeSets(suite);
    if (options.contexts()) checkContexts(suite);
    suite.shutdown();
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
      new MirrorClient(client, client.orb, options.ior).run();
    } else if (options.deferred) {
      new DeferredClient(client, client.orb, options.ior).run();
    } else if (options.values) {
      client.runValues();
    } else {
      client.runSuite();
    }
    System.out.println("done: " + client.passed + " ok, " + client.failed + " failed");
    System.exit(client.failed == 0 && client.passed > 0 ? 0 : 1);
  }
}
