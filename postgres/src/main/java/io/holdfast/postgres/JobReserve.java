package io.holdfast.postgres;

import io.holdfast.job.Effects;
import io.holdfast.job.Job;
import io.holdfast.job.LeasedJob;
import io.holdfast.job.ReserveRequest;
import io.holdfast.job.ReserveRequest.Share;
import io.holdfast.job.Reserved;
import io.holdfast.job.Settlement;
import io.holdfast.lease.StoreCall;
import io.holdfast.lease.Time;
import java.security.SecureRandom;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Hands out leases; see {@link JobReserveSql}. Safe for use by many threads. */
final class JobReserve {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int PREFIX_BYTES = 12;

  /** All probes of a statement together may lock so many rows per job that is wanted. */
  private static final int PROBES_PER_JOB = 4;

  private static final int PROBES = 3;

  /** A few rows more or less are no matter; so small wishes are met exactly. */
  private static final int FREE_PROBES = 192;

  private static final int NUMBER = JobRows.COUNT + 1;
  private static final int AT = JobRows.COUNT + 2;
  private static final int PAUSED = JobRows.COUNT + 3;
  private static final int IS_MORE = JobRows.COUNT + 4;
  private static final int NEXT_AT = JobRows.COUNT + 5;

  /** Where a statement's own columns begin. */
  static final int MORE = JobRows.COUNT + 6;

  private final JobKernel kernel;

  JobReserve(JobKernel kernel) {
    this.kernel = kernel;
  }

  Reserved reserve(ReserveRequest request, StoreCall call) {
    return kernel.change(
        "reserve",
        call,
        session -> {
          try (PreparedStatement statement = session.prepare(JobReserveSql.RESERVE)) {
            bindQueues(bindWish(Binds.of(statement), request, kernel.time()), request);
            try (ResultSet rows = statement.executeQuery()) {
              rows.next();
              return read(rows, request.limit());
            }
          }
        });
  }

  /** What an exchange brought, beside verdicts. */
  record Brought(Effects effects, Reserved reserved) {}

  /** Acknowledges and reserves in one statement. */
  Brought exchange(
      JobSession session,
      JobItems<Settlement.Ack> acks,
      ReserveRequest request,
      JobVerdicts verdicts)
      throws SQLException {
    try (PreparedStatement statement = session.prepare(JobReserveSql.EXCHANGE)) {
      Binds binds = bindWish(Binds.of(statement), request, kernel.time());
      bindQueues(JobSettles.bindAcks(binds, acks), request);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        Effects effects = verdicts.readAcks(rows, MORE, acks);
        verdicts.readRefused(rows, MORE + JobVerdicts.ACK_COLUMNS, acks);
        return new Brought(effects, read(rows, request.limit()));
      }
    }
  }

  static Binds bindWish(Binds binds, ReserveRequest request, Time time) throws SQLException {
    byte[] random = new byte[PREFIX_BYTES];
    RANDOM.nextBytes(random);
    String prefix = HexFormat.of().formatHex(random);
    String worker = request.worker();
    return binds
        .now(time)
        .integer(request.limit())
        .number(Objects.requireNonNull(JobInsertSql.micros(request.leaseFor())))
        .text(prefix)
        .text(worker == null ? null : worker + JobRows.suffix(prefix));
  }

  static void bindQueues(Binds binds, ReserveRequest request) throws SQLException {
    List<Share> shares = request.queues().stream().filter(share -> share.max() > 0).toList();
    binds
        .texts(shares.stream().map(Share::queue).toList())
        .integers(shares.stream().map(Share::max).toList())
        .integers(probes(shares, request.limit()))
        .instants(shares.stream().map(Share::floor).toList());
  }

  /** How many rows each probe of a share may lock: fewer, if that were too many in all. */
  private static List<Integer> probes(List<Share> shares, int limit) {
    int[] wanted = shares.stream().mapToInt(share -> Math.min(share.max(), limit)).toArray();
    long all = PROBES * Arrays.stream(wanted).asLongStream().sum();
    long budget = Math.max(FREE_PROBES, (long) PROBES_PER_JOB * limit);
    return Arrays.stream(wanted)
        .map(max -> all <= budget ? max : (int) Math.max(1, max * budget / all))
        .boxed()
        .toList();
  }

  /** From the first row on, which is there also when there is no job. */
  private static Reserved read(ResultSet rows, int limit) throws SQLException {
    Instant at = JobRows.required(rows, AT);
    Set<String> paused = Set.copyOf(JobRows.texts(rows, PAUSED));
    boolean isMore = rows.getBoolean(IS_MORE);
    Instant nextAt = JobRows.instant(rows, NEXT_AT);
    @Nullable LeasedJob[] places = new LeasedJob[limit];
    boolean isEmpty = rows.getString(1) == null;
    for (boolean more = !isEmpty; more; more = rows.next()) {
      places[rows.getInt(NUMBER) - 1] = leased(rows, at);
    }
    List<LeasedJob> jobs = Arrays.stream(places).filter(Objects::nonNull).toList();
    return new Reserved(jobs, paused, isMore, at, nextAt);
  }

  private static LeasedJob leased(ResultSet row, Instant at) throws SQLException {
    Job job = JobRows.job(row, at);
    return new LeasedJob(job, JobRows.token(row), Objects.requireNonNull(job.lease()).expiresAt());
  }
}
