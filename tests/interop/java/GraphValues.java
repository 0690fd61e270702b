// SPDX-License-Identifier: Apache-2.0
package peer;

import Graph.Base;
import Graph.Derived;
import Graph.Node;
import Graph.Plain;
import Graph.Secret;
import Graph.ThingValue;
import java.io.Serializable;
import java.util.Locale;
import java.util.function.Supplier;
import org.omg.CORBA.portable.ValueFactory;
import org.omg.CORBA_2_3.ORB;

/** The valuetypes of values.idl, of which compilers generate abstract classes only. */
final class GraphValues {
  private GraphValues() {}

  static final class BaseValue extends Base {}

  static final class DerivedValue extends Derived {}

  static final class PlainValue extends Plain {}

  static final class SecretValue extends Secret {}

  static final class NodeValue extends Node {}

  static final class ThingImpl extends ThingValue {}

  private static void register(ORB orb, String name, Supplier<Serializable> make) {
    ValueFactory factory = in -> in.read_value(make.get());
    orb.register_value_factory("IDL:corbel.test/Graph/" + name + ":1.0", factory);
  }

  /** All that both sides know; Secret is the client's alone. */
  static void registerFactories(org.omg.CORBA.ORB any, boolean client) {
    ORB orb = (ORB) any;
    register(orb, "Base", BaseValue::new);
    register(orb, "Derived", DerivedValue::new);
    register(orb, "Plain", PlainValue::new);
    register(orb, "Node", NodeValue::new);
    register(orb, "ThingValue", ThingImpl::new);
    if (client) register(orb, "Secret", SecretValue::new);
  }

  static <V extends Base> V filled(V value, int a, String s) {
    value.a = a;
    value.s = s;
    return value;
  }

  static <V extends Derived> V derived(V value, int a, String s, int extra, Base link) {
    filled(value, a, s);
    value.extra = (short) extra;
    value.link = link;
    return value;
  }

  static String describe(Base value) {
    if (value == null) return "nil";
    String text = value.a + " " + value.s;
    if (value instanceof Derived) {
      Derived derived = (Derived) value;
      text += " +" + derived.extra + " (" + describe(derived.link) + ")";
    }
    if (value instanceof Plain) text += String.format(Locale.ROOT, " plain %f", ((Plain) value).d);
    return text;
  }
}
