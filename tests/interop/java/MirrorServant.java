// SPDX-License-Identifier: Apache-2.0
package peer;

import Dynamic.Choice;
import Dynamic.ChoiceHelper;
import Dynamic.NodeHelper;
import Dynamic.PointHelper;
import org.omg.CORBA.Any;
import org.omg.CORBA.AnyHolder;
import org.omg.CORBA.TypeCode;

/** Dynamic::Mirror of dynamic.idl. */
final class MirrorServant extends Money.MirrorBase {
  private final org.omg.CORBA.ORB orb;

  MirrorServant(org.omg.CORBA.ORB orb) {
    this.orb = orb;
  }

  @Override
  public Any echo_any(Any a, AnyHolder b, AnyHolder c) {
    c.value = b.value;
    b.value = a;
    return a;
  }

  @Override
  public String describe(Any a) {
    TypeCode type = a.type();
    if (Money.text(a) != null) return "Money " + Money.text(a);
    if (type.equivalent(PointHelper.type())) {
      Dynamic.Point point = PointHelper.extract(a);
      return "Point " + point.x + " " + point.y;
    }
    if (type.equivalent(NodeHelper.type())) {
      Dynamic.Node node = NodeHelper.extract(a);
      return "Node " + node.name + " " + node.kids.length;
    }
    if (type.equivalent(ChoiceHelper.type())) {
      Choice choice = ChoiceHelper.extract(a);
      return "Choice " + (choice.discriminator() == Dynamic.Colour.red ? choice.number() : -1);
    }
    return "?";
  }

  @Override
  public Any make(String what) {
    Any any = orb.create_any();
    if (what.equals("Point")) PointHelper.insert(any, new Dynamic.Point((short) 1, -2));
    if (what.equals("Node")) {
      Dynamic.Node[] none = {};
      Dynamic.Node[] kids = {new Dynamic.Node("a", none), new Dynamic.Node("b", none)};
      NodeHelper.insert(any, new Dynamic.Node("root", kids));
    }
    if (what.equals("Choice")) {
      Choice choice = new Choice();
      choice.spot(new Dynamic.Point((short) 3, 4));
      ChoiceHelper.insert(any, choice);
    }
    if (what.equals("Money")) Money.insert(any, "1.25");
    return any;
  }

  @Override
  public TypeCode echo_type(TypeCode type) {
    return type;
  }

  @Override
  public boolean same_type(TypeCode type, Any a) {
    return type.equal(a.type());
  }

  @Override
  public void shutdown() {
    new Thread(() -> orb.shutdown(true)).start();
  }
}
