// SPDX-License-Identifier: Apache-2.0
package peer;

import Graph.Base;
import Graph.BaseHolder;
import Graph.LongsHolder;
import Graph.Node;
import Graph.Pair;
import Graph.Thing;
import java.io.Serializable;
import java.util.Arrays;
import org.omg.CORBA.Any;
import org.omg.CORBA.BooleanHolder;

/** Graph::Mirror of values.idl. */
final class GraphServant extends Graph.MirrorPOA {
  private final org.omg.CORBA.ORB orb;

  GraphServant(org.omg.CORBA.ORB orb) {
    this.orb = orb;
  }

  @Override
  public Base echo(Base v) {
    return v;
  }

  @Override
  public String describe(Base v) {
    return GraphValues.describe(v);
  }

  @Override
  public void three(Base a, BaseHolder b, BaseHolder c) {
    c.value = b.value;
    b.value = a;
  }

  @Override
  public boolean same(Base a, Base b) {
    return a == b;
  }

  @Override
  public Node graph(Node n) {
    return n;
  }

  @Override
  public String boxed(String t, LongsHolder l) {
    if (l.value != null) {
      l.value = Arrays.copyOf(l.value, l.value.length + 1);
      l.value[l.value.length - 1] = 99;
    }
    return t;
  }

  @Override
  public Pair two(Pair p) {
    return p;
  }

  @Override
  public Thing what(Thing t, BooleanHolder is_value) {
    is_value.value = t instanceof Graph.ThingValue;
    return t;
  }

  @Override
  public Any echo_any(Any a) {
    return a;
  }

  @Override
  public String describe_any(Any a) {
    Serializable value = a.extract_Value();
    return value instanceof Base ? GraphValues.describe((Base) value) : String.valueOf(value);
  }

  @Override
  public void shutdown() {
    new Thread(() -> orb.shutdown(true)).start();
  }
}
