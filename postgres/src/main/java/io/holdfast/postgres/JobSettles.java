package io.holdfast.postgres;

import io.holdfast.job.Effects;
import io.holdfast.job.JobStore.Answer;
import io.holdfast.job.JobStore.Exchanged;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.Settlement;
import io.holdfast.job.Settlement.Ack;
import io.holdfast.job.Settlement.Fail;
import io.holdfast.job.Settlement.Release;
import io.holdfast.job.Settlement.Report;
import io.holdfast.job.Settlement.Retry;
import io.holdfast.lease.StoreCall;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Settles runs: one statement for each kind of item. One kind commits by itself; several are one
 * transaction, so that a failure leaves none of them done. Safe for use by many threads.
 */
final class JobSettles {
  private final JobKernel kernel;
  private final JobReserve reserve;

  JobSettles(JobKernel kernel, JobReserve reserve) {
    this.kernel = kernel;
    this.reserve = reserve;
  }

  private static <S extends Settlement> JobItems<S> of(
      List<? extends Settlement> items, Class<S> type) {
    return JobItems.of(items, type, Settlement::held);
  }

  Answer settle(List<? extends Settlement> items, StoreCall call) {
    boolean isUniform = items.stream().map(Object::getClass).distinct().count() <= 1;
    JobKernel.Work<Answer> work = session -> settle(session, items);
    return isUniform
        ? kernel.change("settle", call, work)
        : kernel.transaction("settle", call, work);
  }

  private Answer settle(JobSession session, List<? extends Settlement> items) throws SQLException {
    JobVerdicts verdicts = new JobVerdicts(items);
    Effects effects = others(session, items, verdicts);
    JobItems<Ack> acks = of(items, Ack.class);
    if (!acks.isEmpty()) {
      effects = effects.and(ack(session, acks, verdicts));
    }
    verdicts.explain(session);
    return verdicts.answer(effects);
  }

  /** Acks and the reserve share a statement; what is no ack comes before, in one transaction. */
  Exchanged settleAndReserve(
      List<? extends Settlement> items, ReserveRequest request, StoreCall call) {
    boolean isAcks = items.stream().allMatch(Ack.class::isInstance);
    JobKernel.Work<Exchanged> work = session -> exchange(session, items, request);
    return isAcks
        ? kernel.change("settle and reserve", call, work)
        : kernel.transaction("settle and reserve", call, work);
  }

  private Exchanged exchange(
      JobSession session, List<? extends Settlement> items, ReserveRequest request)
      throws SQLException {
    JobVerdicts verdicts = new JobVerdicts(items);
    Effects effects = others(session, items, verdicts);
    verdicts.explain(session, item -> !(item instanceof Ack));
    JobReserve.Brought brought = reserve.exchange(session, of(items, Ack.class), request, verdicts);
    verdicts.explain(session);
    return new Exchanged(verdicts.answer(effects.and(brought.effects())), brought.reserved());
  }

  private Effects ack(JobSession session, JobItems<Ack> acks, JobVerdicts verdicts)
      throws SQLException {
    try (PreparedStatement statement = session.prepare(JobSettleSql.ACK)) {
      bindAcks(Binds.of(statement).now(kernel.time()), acks).now(kernel.time()).now(kernel.time());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return verdicts.readAcks(row, 1, acks);
      }
    }
  }

  static Binds bindAcks(Binds binds, JobItems<Ack> acks) throws SQLException {
    boolean hasOutput = acks.items().stream().anyMatch(ack -> ack.output() != null);
    return binds
        .texts(acks.ids())
        .texts(acks.tokens())
        .bytes(hasOutput ? acks.each(Ack::output) : List.of());
  }

  /** Everything but acks. */
  private Effects others(JobSession session, List<? extends Settlement> items, JobVerdicts verdicts)
      throws SQLException {
    JobItems<Retry> retries = of(items, Retry.class);
    JobItems<Fail> fails = of(items, Fail.class);
    JobItems<Release> releases = of(items, Release.class);
    JobItems<Report> reports = of(items, Report.class);
    return run(session, JobSettleSql.RETRY, retries, binds -> bindRetries(binds, retries), verdicts)
        .and(run(session, JobSettleSql.FAIL, fails, binds -> bindFails(binds, fails), verdicts))
        .and(
            run(
                session,
                JobSettleSql.RELEASE,
                releases,
                binds -> binds.numbers(releases.each(item -> JobInsertSql.micros(item.delay()))),
                verdicts))
        .and(
            run(
                session,
                JobSettleSql.REPORT,
                reports,
                binds -> bindReports(binds, reports),
                verdicts));
  }

  private static void bindRetries(Binds binds, JobItems<Retry> retries) throws SQLException {
    binds
        .instants(retries.each(Retry::runAt))
        .numbers(retries.each(item -> JobInsertSql.micros(item.delay())))
        .texts(retries.each(Retry::error))
        .numbers(retries.each(item -> number(item.attempts())))
        .instants(retries.each(Retry::failedAt));
  }

  private static void bindFails(Binds binds, JobItems<Fail> fails) throws SQLException {
    binds
        .texts(fails.each(Fail::reason))
        .texts(fails.each(Fail::error))
        .numbers(fails.each(item -> number(item.attempts())));
  }

  private static void bindReports(Binds binds, JobItems<Report> reports) throws SQLException {
    binds
        .numbers(reports.each(item -> number(item.percent())))
        .texts(reports.each(Report::note))
        .bytes(reports.each(Report::checkpoint));
  }

  private static @Nullable Long number(@Nullable Integer value) {
    return value == null ? null : (Long) value.longValue();
  }

  private Effects run(
      JobSession session,
      String sql,
      JobItems<? extends Settlement> part,
      JobSession.Bound bound,
      JobVerdicts verdicts)
      throws SQLException {
    if (part.isEmpty()) {
      return Effects.NONE;
    }
    try (PreparedStatement statement = session.prepare(sql)) {
      Binds binds = Binds.of(statement).now(kernel.time()).texts(part.ids()).texts(part.tokens());
      bound.to(binds);
      binds.now(kernel.time());
      try (ResultSet rows = statement.executeQuery()) {
        return verdicts.read(rows, part);
      }
    }
  }
}
