package io.holdfast.postgres;

import static io.holdfast.postgres.DifferentialJobSide.CALL;

import io.holdfast.job.JobParts.Part;
import io.holdfast.job.JobParts.Request;
import io.holdfast.postgres.DifferentialJobOp.Question;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Everything that is stored. */
final class DifferentialJobDump {
  private DifferentialJobDump() {}

  /** Where a page ends shows a rank: so those who have one are listed one by one. */
  static List<Question> questions(DifferentialJobModel model) {
    List<Question> all = new ArrayList<>();
    for (String queue : DifferentialJobModel.QUEUES) {
      all.add(DifferentialJobAdmin.stats(queue));
      DifferentialJobModel.PARTS.stream()
          .map(part -> new Request(queue, part, null, part == Part.READY ? 1 : 100, null))
          .map(DifferentialJobLook::pages)
          .forEach(all::add);
    }
    model.jobs().stream()
        .map(job -> DifferentialJobLook.find(model.name(job), true))
        .limit(5)
        .forEach(all::add);
    Stream.of(
            DifferentialJobAdmin.queues(null),
            new Question("workers", side -> side.first().admin().workers(CALL), a -> List.of()),
            new Question("schedules", side -> side.first().schedules().list(CALL), a -> List.of()))
        .forEach(all::add);
    return all;
  }
}
