package io.holdfast.lease;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes the library's threads: daemons with telling names, so that none keeps a program alive. */
public final class Background {
  private Background() {}

  /**
   * Short tasks that may block, such as a user's callback; threads come on demand and go when idle.
   */
  public static ExecutorService tasks(String name) {
    return new ThreadPoolExecutor(
        0, Integer.MAX_VALUE, 5, TimeUnit.SECONDS, new SynchronousQueue<>(), threads(name));
  }

  /** The same with at most so many threads; what they cannot do yet waits. */
  public static ExecutorService tasks(String name, int most) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            most, most, 5, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads(name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static ThreadFactory threads(String name) {
    AtomicInteger number = new AtomicInteger();
    return task -> daemon(name + "-" + number.incrementAndGet(), task);
  }

  /** One daemon thread, not started. */
  public static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }
}
