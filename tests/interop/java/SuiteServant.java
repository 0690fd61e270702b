// SPDX-License-Identifier: Apache-2.0
package peer;

import Interop.BinStruct;
import Interop.Callback;
import Interop.Colour;
import Interop.Node;
import Interop.NodeHelper;
import Interop.NodePOA;
import Interop.Whole.SuiteOperations;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.SystemException;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.portable.Streamable;
import org.omg.PortableServer.POA;

/**
 * Serves Interop::Whole::Suite behind its generated tie: the operations that are alike (echo_, attributes, twist_) by
 * reflection, the others by the methods here that have their names.
 */
public final class SuiteServant implements InvocationHandler {
  private final org.omg.CORBA.ORB orb;
  private final POA poa;
  private final java.util.Map<String, Object> attributes = new java.util.HashMap<>();
  private Node self;
  private Node forwarded;
  private long fired;

  SuiteServant(org.omg.CORBA.ORB orb, POA poa) {
    this.orb = orb;
    this.poa = poa;
    attributes.put("level", 0);
    attributes.put("label", "");
    attributes.put("bin", new BinStruct());
    attributes.put("values", new int[0]);
    attributes.put("shade", Colour.red);
    attributes.put("flag", false);
    attributes.put("_template", 0);
    attributes.put("template", 0);
  }

  SuiteOperations operations() {
    return (SuiteOperations) java.lang.reflect.Proxy.newProxyInstance(
        getClass().getClassLoader(), new Class<?>[] {SuiteOperations.class}, this);
  }

  void self(Node reference) {
    self = reference;
    forwarded = reference;
  }

  void forwarded(Node reference) {
    forwarded = reference;
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    String name = method.getName();
    if (name.startsWith("echo_")) return echo(arguments);
    if (attributes.containsKey(name) || name.equals("favourite")) {
      return arguments == null ? attributes.get(name) : attributes.put(name, arguments[0]) == proxy;
    }
    try {
      return getClass().getMethod(name, method.getParameterTypes()).invoke(this, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  private static Object echo(Object[] arguments) throws Exception {
    Vendor.beforeReply();
    Object b = arguments[1].getClass().getField("value").get(arguments[1]);
    TypeCode type = ((Streamable) arguments[1])._type();
    arguments[2].getClass().getField("value").set(arguments[2], Values.twist(b, type));
    arguments[1].getClass().getField("value").set(arguments[1], arguments[0]);
    return arguments[0];
  }

  public String name() {
    return "suite";
  }

  public void ping() {}

  public double ratio() {
    return 0.125;
  }

  public String mixed(byte a, double b, char c, long d, boolean e, short f, String g, int h) {
    double sum = (a & 0xff) + b + c + (e ? 1 : 0) + f + h;
    return (long) (sum * 8) + "/" + d + "/" + g;
  }

  private static String hex(double value) {
    return Double.toHexString(value).replace(".0p", "p").replaceAll("p(\\d)", "p+$1");
  }

  public String constants() {
    StringBuilder all = new StringBuilder();
    all.append(Interop.kYes.value ? 1 : 0).append(' ').append(Interop.kChar.value).append(' ');
    all.append(Interop.kOctet.value & 0xff).append(' ').append(Interop.kShort.value).append(' ');
    all.append(Interop.kUShort.value & 0xffff).append(' ').append(Interop.kLong.value).append(' ');
    all.append(Integer.toUnsignedString((int) Interop.kULong.value)).append(' ').append(Interop.kLongLong.value);
    all.append(' ').append(Long.toUnsignedString(Interop.kULongLong.value)).append(' ');
    all.append(hex(Interop.kFloat.value)).append(' ').append(hex(Interop.kDouble.value));
    all.append(String.format(" U+%04X <", (int) Interop.kWChar.value)).append(Interop.kText.value).append('>');
    for (char c : Interop.kWide.value.toCharArray()) all.append(String.format(" U+%04X", (int) c));
    all.append(' ').append(Interop.kBound.value).append(' ').append(Vendor.colour());
    return all.toString();
  }

  public byte[] twist_octets(byte[] a) throws Exception {
    return (byte[]) Values.twist(a, Interop.OctetSeqHelper.type());
  }

  public String[] twist_strings(String[] a) throws Exception {
    return (String[]) Values.twist(a, Interop.StringSeqHelper.type());
  }

  public BinStruct[] twist_bins(BinStruct[] a) throws Exception {
    return (BinStruct[]) Values.twist(a, Interop.BinSeqHelper.type());
  }

  public String twist_text(String a) throws Exception {
    return (String) Values.twist(a, Interop.TextHelper.type());
  }

  public long sum_octets(byte[] a) {
    long sum = 0;
    for (byte octet : a) sum += octet & 0xff;
    return sum;
  }

  public byte[] make_octets(int count) {
    byte[] made = new byte[count];
    for (int i = 0; i < count; ++i) made[i] = (byte) (i * 7 + 3);
    return made;
  }

  public int delete(int _new, int _in) {
    return _new * 10 + _in;
  }

  public int _module() {
    return module();
  }

  public int module() {
    return 77;
  }

  public int raise_user(int which, org.omg.CORBA.StringHolder note) throws Exception {
    note.value = "nothing raised";
    if (which == 1) throw new Interop.Empty();
    if (which == 2) throw new Interop.Detail("because", -7, Colour.green, new int[] {1, 2, 3});
    if (which == 3) throw new Interop.Renamed((1L << 40) + 1);
    return which;
  }

  public void raise_unlisted() {
    throw new IllegalStateException("Java cannot throw an exception that is not listed");
  }

  public void raise_foreign() {
    throw new IllegalStateException("no CORBA exception");
  }

  public void raise_system(String name, int minor, int completed) throws Exception {
    Class<?> type = Class.forName("org.omg.CORBA." + name);
    throw (SystemException) type.getConstructor(String.class, int.class, CompletionStatus.class)
        .newInstance("", minor, CompletionStatus.from_int(completed));
  }

  public void oversized(int count, Interop.BoundedSeqHolder c) {
    c.value = new short[count];
    for (int i = 0; i < count; ++i) c.value[i] = (short) i;
  }

  public Node self() {
    return self;
  }

  public Node make_node(String name) throws Exception {
    return NodeHelper.narrow(poa.servant_to_reference(new NodePOA() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public void ping() {}
    }));
  }

  public void destroy_node(Node which) throws Exception {
    poa.deactivate_object(poa.reference_to_id(which));
  }

  public Node forwarded() {
    return forwarded;
  }

  public String name_of(Node which) {
    return which == null ? "nil" : which.name();
  }

  public String call_back(Callback target, String text, int depth) throws Exception {
    return target._notify("[" + text + "]", depth);
  }

  public void poke_back(Callback target, int times) {
    for (int i = 0; i < times; ++i) target.poke(1);
  }

  public synchronized void fire(int amount) {
    fired += amount;
  }

  public synchronized void fire_text(String text, byte[] data) {
    fired += text.length() + data.length;
  }

  public synchronized long fired() {
    return fired;
  }

  public void shutdown() {
    new Thread(() -> orb.shutdown(true)).start();
  }
}
