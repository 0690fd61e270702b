// SPDX-License-Identifier: Apache-2.0
package peer;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import org.omg.CORBA.LocalObject;
import org.omg.IOP.ServiceContext;
import org.omg.PortableInterceptor.ClientRequestInfo;
import org.omg.PortableInterceptor.ClientRequestInterceptor;
import org.omg.PortableInterceptor.ORBInitInfo;
import org.omg.PortableInterceptor.ORBInitializer;
import org.omg.PortableInterceptor.ServerRequestInfo;
import org.omg.PortableInterceptor.ServerRequestInterceptor;

/**
 * `--endpoint contexts`: a service context with each request, whose octets are answered the other way round. An ORB makes
 * one of each class whose name is in its properties.
 */
public final class Contexts extends LocalObject implements ORBInitializer {
  private static final int ID = 0x434f5242;
  static final AtomicInteger ANSWERED = new AtomicInteger();
  static final AtomicInteger WRONG = new AtomicInteger();

  static final class Sender extends LocalObject implements ClientRequestInterceptor {
    private final AtomicInteger sent = new AtomicInteger();

    @Override
    public String name() {
      return "sender";
    }

    @Override
    public void destroy() {}

    @Override
    public void send_request(ClientRequestInfo info) {
      byte[] octets = new byte[3 + sent.getAndIncrement() * 97 % 5000];
      for (int i = 0; i < octets.length; ++i) octets[i] = (byte) (i + octets.length);
      info.add_request_service_context(new ServiceContext(ID, octets), false);
    }

    @Override
    public void send_poll(ClientRequestInfo info) {}

    @Override
    public void receive_reply(ClientRequestInfo info) {
      compare(info);
    }

    @Override
    public void receive_exception(ClientRequestInfo info) {
      compare(info);
    }

    @Override
    public void receive_other(ClientRequestInfo info) {}

    private static void compare(ClientRequestInfo info) {
      try {
        byte[] wanted = reversed(info.get_request_service_context(ID).context_data);
        boolean right = Arrays.equals(wanted, info.get_reply_service_context(ID).context_data);
        (right ? ANSWERED : WRONG).incrementAndGet();
      } catch (org.omg.CORBA.BAD_PARAM none) {
        WRONG.incrementAndGet();
      }
    }
  }

  static final class Answerer extends LocalObject implements ServerRequestInterceptor {
    @Override
    public String name() {
      return "answerer";
    }

    @Override
    public void destroy() {}

    @Override
    public void receive_request_service_contexts(ServerRequestInfo info) {}

    @Override
    public void receive_request(ServerRequestInfo info) {}

    @Override
    public void send_reply(ServerRequestInfo info) {
      answer(info);
    }

    @Override
    public void send_exception(ServerRequestInfo info) {
      answer(info);
    }

    @Override
    public void send_other(ServerRequestInfo info) {}

    private static void answer(ServerRequestInfo info) {
      try {
        byte[] octets = info.get_request_service_context(ID).context_data;
        info.add_reply_service_context(new ServiceContext(ID, reversed(octets)), false);
      } catch (org.omg.CORBA.BAD_PARAM none) {
        // nothing to answer
      }
    }
  }

  private static byte[] reversed(byte[] octets) {
    byte[] made = new byte[octets.length];
    for (int i = 0; i < made.length; ++i) made[i] = octets[made.length - 1 - i];
    return made;
  }

  @Override
  public void pre_init(ORBInitInfo info) {
    try {
      info.add_client_request_interceptor(new Sender());
      info.add_server_request_interceptor(new Answerer());
    } catch (org.omg.PortableInterceptor.ORBInitInfoPackage.DuplicateName impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @Override
  public void post_init(ORBInitInfo info) {}
}
