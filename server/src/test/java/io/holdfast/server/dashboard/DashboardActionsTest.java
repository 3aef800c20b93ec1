package io.holdfast.server.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import io.holdfast.Holdfast;
import io.holdfast.job.JobState;
import io.holdfast.queue.Pause;
import io.holdfast.queue.QueueStats;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.Services;
import io.holdfast.stream.DeadLetterQuery;
import io.holdfast.stream.StuckPartition;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every action of the dashboard changes the store, after the question that belongs to it. */
class DashboardActionsTest {
  private static Chromium chromium;
  private HoldfastServer server;
  private Services services;

  @BeforeAll
  static void launch() {
    chromium = new Chromium();
  }

  @AfterAll
  static void quit() {
    if (chromium != null) {
      chromium.close();
    }
  }

  @BeforeEach
  void start() throws IOException {
    services = Services.of(Holdfast.inMemory());
    server = HoldfastServer.start(services, ServerOptions.DEFAULTS.port(0));
    new Shop(services).open();
  }

  @AfterEach
  void stop() {
    List<String> complaints = chromium.leave();
    server.close();
    assertThat(complaints).isEmpty();
  }

  private Page open(String hash) {
    return chromium.open(server.address() + "/" + hash);
  }

  private static void press(Page page, String label) {
    page.locator("main button", new Page.LocatorOptions().setHasText(label)).first().click();
  }

  private static void press(Page page, String row, String label) {
    page.locator("tbody tr", new Page.LocatorOptions().setHasText(row))
        .first()
        .locator("button", new Locator.LocatorOptions().setHasText(label))
        .click();
  }

  private static void confirm(Page page, String typed) {
    Locator go = page.locator("dialog button[type=submit]");
    if (!typed.isEmpty()) {
      assertThat(go).isDisabled();
      page.locator("dialog input[name=confirm]").fill(typed);
    }
    go.click();
  }

  private static void told(Page page, String text) {
    assertThat(page.locator(".toast").last()).containsText(text);
  }

  private long ready(String queue) {
    QueueStats.ItemCounts counts =
        services.queues().queue(queue).admin().stats().partitions().get(0).counts();
    return counts.total() - counts.leased();
  }

  @Test
  void a_queue_is_paused_and_resumed() {
    Page page = open("#/queues/mails");

    press(page, "Pause");
    told(page, "paused");
    assertThat(services.queues().get("mails").paused()).isEqualTo(Pause.LEASE);

    press(page, "Resume");
    told(page, "again");
    assertThat(services.queues().get("mails").paused()).isEqualTo(Pause.NONE);
  }

  @Test
  void a_queue_is_cleared_only_by_who_types_its_name() {
    Page page = open("#/queues/mails");

    press(page, "Clear");
    confirm(page, "mails");

    told(page, "cleared");
    assertThat(ready("mails")).isZero();
    assertThat(services.queues().queue("mails").admin().listScheduled(0, "", 0)).hasSize(1);
  }

  @Test
  void dead_items_return_to_their_queue() {
    Page page = open("#/queues/mails-dead");

    press(page, "Redrive all");
    confirm(page, "");

    told(page, "2 items returned");
    assertThat(ready("mails-dead")).isZero();
    assertThat(ready("mails")).isEqualTo(5);
  }

  @Test
  void an_item_is_deleted() {
    Page page = open("#/queues/mails");

    press(page, "Peek");
    page.locator("dialog button", new Page.LocatorOptions().setHasText("Delete")).click();
    page.locator("dialog").last().locator("button[type=submit]").click();

    told(page, "deleted");
    assertThat(ready("mails")).isEqualTo(2);
  }

  @Test
  void a_stream_is_paused_both_ways() {
    Page page = open("#/streams/orders");

    press(page, "Pause delivery");
    told(page, "delivers nothing");
    press(page, "Pause push");
    told(page, "refused");

    assertThat(services.streams().admin().find("orders").orElseThrow().paused().pop()).isTrue();
    assertThat(services.streams().admin().find("orders").orElseThrow().paused().push()).isTrue();
    press(page, "Resume delivery");
    told(page, "delivers again");
    assertThat(services.streams().admin().find("orders").orElseThrow().paused().pop()).isFalse();
  }

  @Test
  void a_dead_letter_is_redriven() {
    Page page = open("#/streams/orders?show=dead");

    press(page, "the address does not exist", "Redrive");

    told(page, "1 message");
    assertThat(services.streams().deadLetters().list(DeadLetterQuery.of("orders"))).isEmpty();
  }

  @Test
  void dead_letters_are_purged_only_by_who_types_the_name() {
    Page page = open("#/streams/orders?show=dead");

    press(page, "Purge");
    confirm(page, "orders");

    told(page, "deleted");
    assertThat(services.streams().deadLetters().list(DeadLetterQuery.of("orders"))).isEmpty();
  }

  @Test
  void a_group_is_moved_to_the_end() {
    Page page = open("#/streams/orders");

    press(page, "billing", "Seek");
    confirm(page, "");

    told(page, "moved");
    assertThat(lag("billing")).isZero();
  }

  private long lag(String group) {
    return services.streams().admin().groups("orders").stream()
        .filter(info -> info.name().equals(group))
        .findAny()
        .orElseThrow()
        .lag();
  }

  @Test
  void a_group_is_forgotten_only_by_who_types_its_name() {
    Page page = open("#/streams/orders");

    press(page, "billing", "Forget");
    confirm(page, "billing");

    told(page, "forgotten");
    assertThat(services.streams().admin().groups("orders")).hasSize(1);
  }

  @Test
  void a_partition_is_unparked_and_parked() {
    Page page = open("#/streams/orders?show=stuck");

    press(page, "leslie", "Unpark");
    confirm(page, "");
    told(page, "goes on");
    assertThat(parked()).isZero();

    page.locator(".tabs").getByText("Partitions").click();
    press(page, "alan", "Park");
    confirm(page, "");
    told(page, "is parked");
    assertThat(parked()).isEqualTo(1);
  }

  private long parked() {
    return services.streams().browser().stuck("orders").stream()
        .filter(stuck -> stuck.reason() == StuckPartition.Reason.PARKED)
        .count();
  }

  @Test
  void a_job_queue_is_paused_and_resumed() {
    Page page = open("#/jobs/reports");

    press(page, "Pause");
    told(page, "paused");
    assertThat(services.jobs().queues().get("reports").pausedAt()).isNotNull();

    press(page, "Resume");
    told(page, "again");
    assertThat(services.jobs().queues().get("reports").pausedAt()).isNull();
  }

  @Test
  void a_dead_job_is_requeued() {
    Page page = open("#/jobs/reports?show=dlq");

    press(page, "dead-report", "Requeue");

    told(page, "ready again");
    assertThat(services.jobs().inspect("dead-report").state()).isEqualTo(JobState.READY);
  }

  @Test
  void all_dead_jobs_are_requeued() {
    Page page = open("#/jobs/reports");

    press(page, "Requeue all dead");
    confirm(page, "");

    told(page, "1 job requeued");
    assertThat(services.jobs().inspect("dead-report").state()).isEqualTo(JobState.READY);
  }

  @Test
  void dead_jobs_are_purged_only_by_who_types_the_name() {
    Page page = open("#/jobs/reports");

    press(page, "Purge dead");
    confirm(page, "reports");

    told(page, "1 job deleted");
    assertThat(services.jobs().queues().stats("reports").counts().get(JobState.DLQ).count())
        .isZero();
  }

  @Test
  void a_job_is_cancelled_from_its_page() {
    Page page = open("#/job/ready-report");

    press(page, "Cancel");
    confirm(page, "");

    told(page, "cancelled");
    assertThat(services.jobs().inspect("ready-report").state()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void a_schedule_is_paused_and_triggered() {
    Page page = open("#/jobs");

    press(page, "daily-digest", "Run now");
    told(page, "was made");
    press(page, "daily-digest", "Pause");
    told(page, "paused");

    assertThat(services.jobs().schedules().list().get(0).isEnabled()).isFalse();
    assertThat(services.jobs().queues().stats("reports").counts().get(JobState.READY).count())
        .isEqualTo(2);
  }

  @Test
  void a_lock_is_broken_only_by_who_types_its_key() {
    Page page = open("#/locks");

    press(page, Shop.KEY, "Break");
    confirm(page, Shop.KEY);

    told(page, "broken");
    assertThat(services.locks().isLocked(Shop.KEY)).isFalse();
  }
}
