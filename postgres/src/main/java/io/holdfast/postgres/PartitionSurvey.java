package io.holdfast.postgres;

import io.holdfast.lease.StoreCall;
import io.holdfast.queue.ItemLifecycle.Info;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks at many partitions with one statement. A statement cannot name a table that is not there,
 * so those not known to be are looked up first. Safe for use by many threads.
 */
final class PartitionSurvey {
  private static final String LIFECYCLE =
      """
      SELECT {place} AS place,
             (SELECT min(lease_deadline) FROM {items}
               WHERE is_leased AND lease_deadline > coalesce(?::timestamptz, '-infinity')) AS lease,
             (SELECT min(expire_deadline) FROM {items}
               WHERE is_leased::integer = 0 AND enqueue_at IS NULL
                 AND expire_deadline > coalesce(?::timestamptz, '-infinity')) AS expiry,
             (SELECT min(enqueue_at) FROM {items}
               WHERE enqueue_at IS NOT NULL
                 AND enqueue_at > coalesce(?::timestamptz, '-infinity')) AS schedule""";

  /** A hand may have set a deadline that never comes; in an answer that is a long time. */
  private static final String LIFECYCLE_ALL =
      """
      SELECT found.place,
             round(extract(epoch FROM
               CASE WHEN found.lease > clock.far THEN clock.far ELSE found.lease END - clock.at)
               * 1000000)::bigint AS lease,
             round(extract(epoch FROM
               CASE WHEN found.expiry > clock.far THEN clock.far ELSE found.expiry END - clock.at)
               * 1000000)::bigint AS expiry,
             round(extract(epoch FROM
               CASE WHEN found.schedule > clock.far THEN clock.far ELSE found.schedule END - clock.at)
               * 1000000)::bigint AS schedule
        FROM (SELECT at, at + interval '100 years' AS far FROM {now}) AS clock, ({all}) AS found
      """;

  private static final String PROBE =
      """
      SELECT {place} AS place FROM {queues}
       WHERE name = ? AND state = 'active' AND paused = ''
         AND EXISTS (SELECT FROM {items}
                      WHERE NOT is_leased AND enqueue_at IS NULL AND id >= ?
                        AND expire_deadline + interval '0' > (SELECT at FROM clock)
                      ORDER BY id LIMIT 1)""";

  private static final String PROBE_ALL =
      """
      WITH clock AS MATERIALIZED (SELECT coalesce(?::timestamptz, clock_timestamp()) AS at)
      SELECT found.place FROM ({all}) AS found
      """;

  private final QueueKernel kernel;
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  PartitionSurvey(QueueKernel kernel) {
    this.kernel = kernel;
  }

  List<Info> lifecycleInfo(List<PartitionContext> partitions, StoreCall call) {
    return survey("lifecycle info", partitions, call, this::lifecycleInfo);
  }

  /** Partitions with something to lease; unhinted looks that found something say so. */
  List<Boolean> probe(List<PartitionContext> partitions, StoreCall call) {
    List<ClaimHint.Look> looks = partitions.stream().map(part -> part.hint.begin()).toList();
    try {
      List<Boolean> found =
          survey("probe", partitions, call, (watch, all) -> probe(watch, all, looks));
      for (int i = 0; i < looks.size(); i++) {
        looks.get(i).looked(looks.size());
        if (found.get(i) && looks.get(i).isUnhinted()) {
          // The claim that follows has to find what this look found.
          partitions.get(i).hint.reset();
        }
      }
      return found;
    } catch (RuntimeException e) {
      looks.forEach(ClaimHint.Look::failed);
      throw e;
    }
  }

  private interface Question<T> {
    T ask(Watch watch, List<@Nullable PartitionContext> partitions) throws SQLException;
  }

  /** Asks about partitions that have a table; the others are null in what is asked. */
  private <T> T survey(
      String operation, List<PartitionContext> partitions, StoreCall call, Question<T> question) {
    QueueFailures.Doing doing =
        QueueFailures.Doing.look(operation, partitions.isEmpty() ? "" : partitions.get(0).name());
    kernel.setup().ensure(call);
    try {
      try {
        return ask(operation, partitions, call, question);
      } catch (SQLException e) {
        if (!QueueFailures.isNoTable(e)) {
          throw e;
        }
        partitions.forEach(part -> known.remove(name(part)));
        return ask(operation, partitions, call, question);
      }
    } catch (SQLException e) {
      throw QueueFailures.of(doing, e);
    }
  }

  private <T> T ask(
      String operation, List<PartitionContext> partitions, StoreCall call, Question<T> question)
      throws SQLException {
    return kernel
        .transactions()
        .single(
            operation,
            StoreCaller.limits(call),
            watch -> {
              lookUp(watch, partitions);
              List<@Nullable PartitionContext> there = new ArrayList<>();
              for (PartitionContext part : partitions) {
                there.add(known.contains(name(part)) ? part : null);
              }
              return question.ask(watch, there);
            });
  }

  private void lookUp(Watch watch, List<PartitionContext> partitions) throws SQLException {
    List<String> unknown =
        partitions.stream()
            .map(PartitionSurvey::name)
            .filter(name -> !known.contains(name))
            .toList();
    if (!unknown.isEmpty()) {
      known.addAll(ItemTables.existing(watch, kernel.sql().schema, unknown));
    }
  }

  private static String name(PartitionContext part) {
    return ItemTables.name(part.name(), part.info.number());
  }

  private List<Info> lifecycleInfo(Watch watch, List<@Nullable PartitionContext> partitions)
      throws SQLException {
    List<Info> infos = new ArrayList<>();
    partitions.forEach(part -> infos.add(Info.NOTHING));
    String sql = union(LIFECYCLE_ALL, LIFECYCLE, partitions);
    if (sql == null) {
      return infos;
    }
    try (PreparedStatement statement = watch.prepare(sql)) {
      Binds binds = Binds.of(statement).now(kernel.time());
      for (PartitionContext part : partitions) {
        if (part != null) {
          binds.at(part.actions.current()).at(part.actions.current()).at(part.schedules.current());
        }
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          Info info =
              new Info(micros(rows, "lease"), micros(rows, "expiry"), micros(rows, "schedule"));
          infos.set(rows.getInt("place"), info);
        }
      }
    }
    return infos;
  }

  private List<Boolean> probe(
      Watch watch, List<@Nullable PartitionContext> partitions, List<ClaimHint.Look> looks)
      throws SQLException {
    Set<Integer> found = new HashSet<>();
    String sql = union(PROBE_ALL, PROBE, partitions);
    if (sql != null) {
      try (PreparedStatement statement = watch.prepare(sql)) {
        Binds binds = Binds.of(statement).now(kernel.time());
        for (int i = 0; i < partitions.size(); i++) {
          PartitionContext part = partitions.get(i);
          if (part != null) {
            binds.text(part.name()).text(looks.get(i).from());
          }
        }
        try (ResultSet rows = statement.executeQuery()) {
          while (rows.next()) {
            found.add(rows.getInt("place"));
          }
        }
      }
    }
    List<Boolean> answers = new ArrayList<>();
    for (int i = 0; i < partitions.size(); i++) {
      answers.add(found.contains(i));
    }
    return answers;
  }

  private static @Nullable String union(
      String frame, String part, List<@Nullable PartitionContext> partitions) {
    List<String> parts = new ArrayList<>();
    PartitionContext any = null;
    for (int i = 0; i < partitions.size(); i++) {
      PartitionContext context = partitions.get(i);
      if (context != null) {
        any = context;
        parts.add(context.sql.template.fill(part.replace("{place}", Integer.toString(i))));
      }
    }
    String all = parts.stream().collect(Collectors.joining(" UNION ALL "));
    return any == null ? null : any.sql.template.fill(frame).replace("{all}", all);
  }

  private static OptionalLong micros(ResultSet row, String column) throws SQLException {
    long micros = row.getLong(column);
    return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(micros);
  }
}
