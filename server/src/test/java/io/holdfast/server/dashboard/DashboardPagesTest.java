package io.holdfast.server.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.holdfast.Holdfast;
import io.holdfast.server.Diagnosis;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.Services;
import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Every page, in a real browser, with something on it. */
class DashboardPagesTest {
  private static Chromium chromium;
  private static HoldfastServer server;

  @BeforeAll
  static void start() throws IOException {
    chromium = new Chromium();
    Services services = Services.of(Holdfast.inMemory());
    server =
        HoldfastServer.start(
            services,
            ServerOptions.DEFAULTS
                .port(0)
                .diagnosis(
                    () ->
                        List.of(
                            new Diagnosis.Finding(Diagnosis.Level.OK, "version", "18.1", ""),
                            new Diagnosis.Finding(
                                Diagnosis.Level.PROBLEM,
                                "horizon",
                                "a transaction is open since yesterday",
                                "end session 4711"))));
    new Shop(services).open();
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
      chromium.close();
    }
  }

  @AfterEach
  void nothing_was_complained_about() {
    assertThat(chromium.leave()).isEmpty();
  }

  private static Page open(String hash) {
    return chromium.open(server.address() + "/" + hash);
  }

  private static void sees(Page page, String... texts) {
    for (String text : texts) {
      assertThat(page.locator("main")).containsText(text);
    }
  }

  @Test
  void the_overview_says_what_flows_what_is_late_and_what_is_stuck() {
    Page page = open("");

    sees(page, "mails", "thumbnails", "orders", "reports", Shop.KEY);
    sees(page, "mails-dead – 2 items given up by mails", "orders – 1 partition of this stream");
    assertThat(page.locator(".pulse")).containsText("Live");
    page.getByText("2 items given up by mails").click();
    assertThat(page.locator("h1")).hasText("mails-dead");
  }

  @Test
  void every_number_of_the_overview_leads_to_what_is_behind_it() {
    Page page = open("");
    sees(page, "mails");

    for (Locator number : page.locator("main td.n").all()) {
      if (number.innerText().matches("[1-9].*") && !isOfLock(number)) {
        assertThat(number.locator("a")).hasAttribute("href", Pattern.compile("#/.+"));
      }
    }
    page.locator("tr", new Page.LocatorOptions().setHasText("mails-dead"))
        .locator("td.n a")
        .first()
        .click();
    assertThat(page.locator("tbody tr")).hasCount(2);
  }

  /** Times of a lock are not numbers of anything. */
  private static boolean isOfLock(Locator cell) {
    return cell.innerText().contains(" ");
  }

  @Test
  void a_queue_shows_its_items_by_state() {
    Page page = open("#/queues/mails");

    sees(page, "ken", "Waits for");
    page.locator(".tabs").getByText("Leased").click();
    sees(page, "Lease ends", "grace");
    page.locator(".tabs").getByText("Scheduled").click();
    assertThat(page.locator("tbody tr")).hasCount(1);
    page.locator(".tabs").getByText("Partitions").click();
    sees(page, "Partition", "Oldest");
  }

  @Test
  void an_item_can_be_peeked_at() {
    Page page = open("#/queues/mails");

    page.getByText("Peek").first().click();

    assertThat(page.locator("dialog pre")).containsText("\"template\": \"welcome\"");
    assertThat(page.locator("dialog"))
        .containsText("what is before it in its partition goes first");
  }

  @Test
  void a_stream_shows_groups_leases_stuck_partitions_and_dead_letters() {
    Page page = open("#/streams/orders");

    sees(page, "billing", "shipping");
    page.locator(".tabs").getByText("Leases").click();
    sees(page, "Ends in", "shipping");
    page.locator(".tabs").getByText("Stuck").click();
    sees(page, "Parked", "leslie", "Unpark");
    page.locator(".tabs").getByText("Dead letters").click();
    sees(page, "the address does not exist");
    page.locator(".tabs").getByText("Messages").click();
    sees(page, Shop.TRACE.toString());
    page.getByText("Peek").first().click();
    assertThat(page.locator("dialog pre")).containsText("\"total\": 129");
  }

  @Test
  void a_partition_explains_why_it_does_not_run() {
    Page page = open("#/streams/orders?show=stuck");

    page.locator("tr", new Page.LocatorOptions().setHasText("leslie")).getByText("Why?").click();

    sees(page, "Why is leslie not running?", "Parked", "customs ask for papers");
  }

  @Test
  void a_job_queue_shows_jobs_by_state() {
    Page page = open("#/jobs/reports");

    sees(page, "running-report", "40 %", "40 of 100 rows");
    page.locator(".tabs").getByText("Ready").click();
    sees(page, "ready-report");
    page.locator(".tabs").getByText("Later and retries").click();
    sees(page, "later-report");
    page.locator(".tabs").getByText("Dead").click();
    sees(page, "the printer is on fire");
    page.locator(".tabs").getByText("Done").click();
    sees(page, "done-report");
    page.locator(".tabs").getByText("Recurring").click();
    sees(page, "daily-digest", "0 7 * * *");
  }

  @Test
  void a_job_explains_why_it_does_not_run() {
    Page page = open("#/job/ready-report");

    sees(page, "Why does it stand here?", "What helps", "\"customer\": \"ken\"");
  }

  @Test
  void a_lock_shows_its_holder_and_its_fence() {
    Page page = open("#/locks");

    page.getByText(Shop.KEY).click();

    sees(page, "Would a caller get it?", "000000000000001", "Nobody waits");
  }

  @Test
  void a_trace_puts_messages_and_jobs_on_one_line() {
    Page page = open("#/trace/" + Shop.TRACE);

    sees(page, "10 steps", "orders / ada", "report in reports");
    assertThat(page.locator(".line .track i")).hasCount(10);
  }

  @Test
  void the_doctor_says_what_to_do_worst_first() {
    Page page = open("#/doctor");

    sees(page, "1 thing to do something about", "end session 4711");
    assertThat(page.locator(".reason").first()).containsText("horizon");
  }

  @Test
  void lists_of_all_queues_streams_and_jobs_are_there() {
    sees(open("#/queues"), "mails-dead");
    sees(open("#/streams"), "orders");
    sees(open("#/jobs"), "reports", "daily-digest", "No worker");
    sees(open("#/nowhere"), "There is no such page");
  }

  @Test
  void it_is_usable_with_the_keyboard() {
    Page page = open("");
    sees(page, "mails");

    page.keyboard().press("Tab");
    assertThat(page.locator(".skip")).isFocused();
    page.keyboard().press("/");
    page.keyboard().type("thumb");
    page.keyboard().press("Enter");

    assertThat(page.locator("h1")).hasText("thumbnails");
  }

  @Test
  void light_and_dark_follow_the_system_until_somebody_chooses() {
    Page page = chromium.open(server.address() + "/", ColorScheme.DARK, 1280);
    assertThat(page.locator("html")).hasAttribute("data-theme", "dark");

    page.locator("#theme").click();
    page.reload();

    assertThat(page.locator("html")).hasAttribute("data-theme", "light");
  }

  @Test
  void nothing_sticks_out_on_a_phone() {
    for (String hash : List.of("", "#/queues/mails", "#/streams/orders", "#/jobs/reports")) {
      Page page = chromium.open(server.address() + "/" + hash, ColorScheme.LIGHT, 380);
      assertThat(page.locator("html")).hasAttribute("data-ready", "true");
      assertThat(page.evaluate("document.documentElement.scrollWidth")).isEqualTo(380);
    }
  }
}
