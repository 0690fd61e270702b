// SPDX-License-Identifier: Apache-2.0
// JacORB in the laboratory, with its defaults but one; the command line and the commands are those of peer.hpp.
import Bench.*;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

public final class Peer {
  static byte cubed(byte v) { return (byte) (v * v * v); }
  static short cubed(short v) { return (short) (v * v * v); }
  static int cubed(int v) { return v * v * v; }

  static final class CubitServant extends CubitPOA {
    public byte cube_octet(byte value) { return cubed(value); }
    public short cube_short(short value) { return cubed(value); }
    public int cube_long(int value) { return cubed(value); }
    public Many cube_struct(Many value) { return new Many(cubed(value.o), cubed(value.l), cubed(value.s)); }
    public OneOf cube_union(OneOf value) {
      OneOf result = new OneOf();
      if (value.discriminator() == 0) result.o(cubed(value.o()));
      if (value.discriminator() == 1) result.s(cubed(value.s()));
      if (value.discriminator() == 2) result.l(cubed(value.l()));
      return result;
    }
    public byte[] cube_octets(byte[] values) {
      byte[] result = new byte[values.length];
      for (int i = 0; i < values.length; ++i) result[i] = cubed(values[i]);
      return result;
    }
    public int[] cube_longs(int[] values) {
      int[] result = new int[values.length];
      for (int i = 0; i < values.length; ++i) result[i] = cubed(values[i]);
      return result;
    }
  }

  static final class RingServant extends RingPOA {
    public byte[] echo_octets(byte[] data) { return data; }
    public BinStruct[] echo_structs(BinStruct[] data) { return data; }
    public char[] echo_chars(char[] data) { return data; }
    public short[] echo_shorts(short[] data) { return data; }
    public int[] echo_longs(int[] data) { return data; }
    public double[] echo_doubles(double[] data) { return data; }
    public String echo_string(String data) { return data; }
  }

  static final class TargetServant extends TargetPOA {
    private final AtomicLong taken = new AtomicLong();
    private final Cubit cubit;
    private final Ring ring;
    TargetServant(Cubit cubit, Ring ring) {
      this.cubit = cubit;
      this.ring = ring;
    }
    private void count(long octets) { taken.addAndGet(octets); }
    public void ping() {}
    public void take_octets(byte[] data) { count(data.length); }
    public void take_structs(BinStruct[] data) { count(24L * data.length); }
    public void take_chars(char[] data) { count(data.length); }
    public void take_shorts(short[] data) { count(2L * data.length); }
    public void take_longs(int[] data) { count(4L * data.length); }
    public void take_doubles(double[] data) { count(8L * data.length); }
    public void take_string(String data) { count(data.length()); }
    public void put_octets(byte[] data) { take_octets(data); }
    public void put_structs(BinStruct[] data) { take_structs(data); }
    public void put_chars(char[] data) { take_chars(data); }
    public void put_shorts(short[] data) { take_shorts(data); }
    public void put_longs(int[] data) { take_longs(data); }
    public void put_doubles(double[] data) { take_doubles(data); }
    public void put_string(String data) { take_string(data); }
    public long taken() { return taken.get(); }
    public void reset() { taken.set(0); }
    public Cubit cubes() { return cubit; }
    public Ring rings() { return ring; }
  }

  interface Call { void run() throws Exception; }

  static char[] chars(int count) {
    char[] data = new char[count];
    Arrays.fill(data, 'x');
    return data;
  }

  static BinStruct[] structs(int count) {
    BinStruct[] data = new BinStruct[count];
    for (int i = 0; i < count; ++i) data[i] = new BinStruct((short) 1, 'c', 2, (byte) 3, 4.5);
    return data;
  }

  static void checkRing(int sent, int back) throws Exception {
    if (back != sent) throw new Exception("not all came back");
  }

  static Call ring(Ring ring, String type, int count) {
    switch (type) {
      case "octet": { byte[] d = octets(count); return () -> checkRing(d.length, ring.echo_octets(d).length); }
      case "char": { char[] d = chars(count); return () -> checkRing(d.length, ring.echo_chars(d).length); }
      case "short": { short[] d = new short[count]; return () -> checkRing(d.length, ring.echo_shorts(d).length); }
      case "long": { int[] d = new int[count]; return () -> checkRing(d.length, ring.echo_longs(d).length); }
      case "double": { double[] d = new double[count]; return () -> checkRing(d.length, ring.echo_doubles(d).length); }
      case "string": { String d = "x".repeat(count); return () -> checkRing(d.length(), ring.echo_string(d).length()); }
      default: { BinStruct[] d = structs(count); return () -> checkRing(d.length, ring.echo_structs(d).length); }
    }
  }

  static byte[] octets(int count) {
    byte[] data = new byte[count];
    Arrays.fill(data, (byte) 'x');
    return data;
  }

  static Call sender(Target target, boolean oneway, String type, int count) {
    switch (type) {
      case "octet": { byte[] d = octets(count); return oneway ? () -> target.take_octets(d) : () -> target.put_octets(d); }
      case "char": {
        char[] d = chars(count);
        return oneway ? () -> target.take_chars(d) : () -> target.put_chars(d);
      }
      case "short": { short[] d = new short[count]; return oneway ? () -> target.take_shorts(d) : () -> target.put_shorts(d); }
      case "long": { int[] d = new int[count]; return oneway ? () -> target.take_longs(d) : () -> target.put_longs(d); }
      case "double": { double[] d = new double[count]; return oneway ? () -> target.take_doubles(d) : () -> target.put_doubles(d); }
      case "string": { String d = "x".repeat(count); return oneway ? () -> target.take_string(d) : () -> target.put_string(d); }
      default: {
        BinStruct[] d = structs(count);
        return oneway ? () -> target.take_structs(d) : () -> target.put_structs(d);
      }
    }
  }

  static int sizeOf(String type) {
    switch (type) {
      case "short": return 2;
      case "long": return 4;
      case "double": return 8;
      case "struct": return 24;
      default: return 1;
    }
  }

  static Call cube(Cubit cubit, String what) {
    switch (what) {
      case "octet": return () -> cubit.cube_octet((byte) 3);
      case "short": return () -> cubit.cube_short((short) 3);
      case "long": return () -> cubit.cube_long(3);
      case "struct": { Many value = new Many((byte) 3, 4, (short) 5); return () -> cubit.cube_struct(value); }
      case "union": {
        OneOf value = new OneOf();
        value.l(3);
        return () -> cubit.cube_union(value);
      }
      default: {
        int size = what.endsWith("large") ? 4096 : 4;
        byte[] bytes = new byte[size];
        int[] longs = new int[size / 4];
        return what.startsWith("octets") ? () -> cubit.cube_octets(bytes) : () -> cubit.cube_longs(longs);
      }
    }
  }

  static String percentiles(long[] times) {
    Arrays.sort(times);
    StringBuilder text = new StringBuilder("ok");
    for (int perMille : new int[] {500, 900, 990, 999, 1000}) {
      text.append(' ').append(times[(int) Math.min((long) times.length * perMille / 1000, times.length - 1)]);
    }
    return text.toString();
  }

  static String latency(Call call, int count, long period) throws Exception {
    long[] times = new long[Math.max(count, 1)];
    long due = System.nanoTime();
    for (int i = 0; i < times.length; ++i) {
      if (period > 0) {
        due += period;
        for (long left; (left = due - System.nanoTime()) > 0;) LockSupport.parkNanos(left);
      } else {
        due = System.nanoTime();
      }
      call.run();
      times[i] = System.nanoTime() - due;
    }
    return percentiles(times);
  }

  static String repeated(Call call, int count) throws Exception {
    long begin = System.nanoTime();
    for (int i = 0; i < count; ++i) call.run();
    return "ok " + (System.nanoTime() - begin);
  }

  static String stream(Target target, String mode, String type, int buffer, int count) throws Exception {
    int elements = Math.max(1, buffer / sizeOf(type));
    long octets = (long) elements * sizeOf(type) * count;
    if (mode.equals("ring")) return repeated(ring(target.rings(), type, elements), count) + " " + 2 * octets;
    Call send = sender(target, mode.equals("oneway"), type, elements);
    target.reset();
    long begin = System.nanoTime();
    for (int i = 0; i < count; ++i) send.run();
    while (target.taken() < octets) {
    }
    return "ok " + (System.nanoTime() - begin) + " " + octets;
  }

  static String threads(Target target, int threads, int count) throws Exception {
    Thread[] all = new Thread[threads];
    long begin = System.nanoTime();
    for (int i = 0; i < threads; ++i) {
      all[i] = new Thread(() -> {
        for (int k = 0; k < count; ++k) target.ping();
      });
      all[i].start();
    }
    for (Thread one : all) one.join();
    return "ok " + (System.nanoTime() - begin);
  }

  static Call payload(Target target, String octets) {
    byte[] data = octets(Integer.parseInt(octets));
    return data.length == 0 ? () -> target.ping() : () -> target.put_octets(data);
  }

  static String obey(Target target, String[] words) throws Exception {
    int count = Integer.parseInt(words[words[0].equals("stream") ? 4 : words[0].equals("cube") ? 2 : 1]);
    switch (words[0]) {
      case "ping": return repeated(() -> target.ping(), count);
      case "latency": return latency(payload(target, words[2]), count, 0);
      case "paced": return latency(payload(target, words[3]), count, Long.parseLong(words[2]));
      case "threads": return threads(target, count, Integer.parseInt(words[2]));
      case "stream":
        return stream(target, words[1], words[2], Integer.parseInt(words[3]), count);
      case "cube": return repeated(cube(target.cubes(), words[1]), count);
      default: throw new Exception("no such command");
    }
  }

  static ORB makeOrb(String... properties) {
    Properties all = new Properties();
    all.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
    all.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
    for (int i = 0; i < properties.length; i += 2) all.put(properties[i], properties[i + 1]);
    return ORB.init(new String[0], all);
  }

  static void serve(String where) throws Exception {
    // By default requests that come faster than they are served are refused, which loses oneway calls.
    ORB orb = makeOrb("OAIAddr", where, "jacorb.poa.queue_wait", "on");
    POA poa = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    poa.the_POAManager().activate();
    Cubit cubit = CubitHelper.narrow(poa.servant_to_reference(new CubitServant()));
    Ring ring = RingHelper.narrow(poa.servant_to_reference(new RingServant()));
    System.out.println("ready " + orb.object_to_string(poa.servant_to_reference(new TargetServant(cubit, ring))));
    System.out.flush();
    orb.run();
  }

  static void call(String reference) throws Exception {
    Target target = TargetHelper.narrow(makeOrb().string_to_object(reference));
    for (int i = 0; i < 5000; ++i) target.ping(); // until the virtual machine has compiled the path of a call
    System.out.println("ready");
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = commands.readLine()) != null;) {
      String answer;
      try {
        answer = obey(target, line.trim().split(" +"));
      } catch (Exception failure) {
        answer = "failed " + failure;
      }
      System.out.println(answer);
      System.out.flush();
    }
    System.exit(0);
  }

  public static void main(String[] words) throws Exception {
    String role = words.length > 0 ? words[0] : "";
    if (role.equals("about")) {
      System.out.println("JacORB " + org.jacorb.util.Version.version.replaceAll(" .*", "")
          + "\nprotocols giop\ntransports tcp\ncommands latency threads oneway twoway ring cube"
          + "\ntypes char octet short long double string struct");
    } else if (role.equals("server") && words.length == 4) {
      serve(words[3]);
    } else if (role.equals("client") && words.length == 4) {
      call(words[3]);
    } else {
      System.err.println("usage: corbel-bench-jacorb about | server PROTOCOL TRANSPORT WHERE | client PROTOCOL TRANSPORT REFERENCE");
      System.exit(2);
    }
  }
}
