// SPDX-License-Identifier: Apache-2.0
package peer;

import Later.Desk;
import Later.DeskHelper;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.ORB;
import org.omg.CORBA.StringHolder;
import org.omg.CORBA.SystemException;

/** The checks of the client of tests/interop/deferred: servants that answer later. */
final class DeferredClient {
  private static final int CALLERS = 20;
  private static final int DROPPED = 0x4342058f;

  private final Client client;
  private final Desk desk;

  DeferredClient(Client client, ORB orb, String ior) {
    this.client = client;
    desk = DeskHelper.narrow(orb.string_to_object(ior));
  }

  private void checkHeld() throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    Future<?>[] answers = new Future<?>[CALLERS];
    for (int i = 0; i < CALLERS; ++i) {
      String question = Integer.toString(i);
      answers[i] = callers.submit(() -> desk.held(question));
    }
    while (desk.waiting() != CALLERS) Thread.yield();
    desk.release();
    for (int i = 0; i < CALLERS; ++i) Client.require(answers[i].get().equals(i + "!"), "answer " + i);
    callers.shutdown();
  }

  private void checkSplit() throws Exception {
    StringHolder head = new StringHolder();
    StringHolder tail = new StringHolder("kept ");
    Client.require(desk.split("one=two", '=', head, tail) == 3, "result");
    Client.require(head.value.equals("one") && tail.value.equals("kept two"), "out and inout");
  }

  private void checkRefused() {
    try {
      desk.split("one", '=', new StringHolder(), new StringHolder("kept "));
      Client.require(false, "no exception");
    } catch (Later.Refused refused) {
      Client.require(refused.why.equals("no such character"), refused.why);
    }
  }

  private void checkFailure(Runnable call, Class<?> kind, int minor, CompletionStatus completed) {
    try {
      call.run();
      Client.require(false, "no exception");
    } catch (SystemException failure) {
      Client.require(kind.isInstance(failure) && failure.minor == minor && failure.completed == completed, failure.toString());
    }
    Client.require(desk.waiting() == 0, "somebody still waits");
  }

  void run() {
    client.check("calls that waited are answered, more than the server has threads", this::checkHeld);
    client.check("an attribute", () -> {
      desk.title("chief");
      Client.require(desk.title().equals("chief"), "title");
    });
    client.check("out and inout", this::checkSplit);
    client.check("a user exception", this::checkRefused);
    client.check("a system exception", () -> checkFailure(
        desk::fail, org.omg.CORBA.NO_PERMISSION.class, 7, CompletionStatus.COMPLETED_YES));
    client.check("an answer that was dropped", () -> checkFailure(
        desk::drop, org.omg.CORBA.NO_RESPONSE.class, DROPPED, CompletionStatus.COMPLETED_MAYBE));
    desk.shutdown();
  }
}
