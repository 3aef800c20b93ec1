package io.holdfast.server.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import io.holdfast.Holdfast;
import io.holdfast.job.NewJob;
import io.holdfast.queue.NewItem;
import io.holdfast.queue.NewQueue;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.LastingPort;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.Services;
import io.holdfast.server.http.Role;
import io.holdfast.server.http.Tokens;
import io.holdfast.stream.NewMessage;
import io.holdfast.stream.PopRequest;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names and payloads stay text whatever they contain, and nobody sees what is not for him. */
class DashboardSafetyTest {
  private static final List<String> HOSTILE =
      List.of(
          "<script>alert(1)</script>",
          "\"onmouseover=\"alert(2)",
          "<img/src=x/onerror=alert(3)>",
          "javascript:alert(4)",
          "\u202Egnp.lortnoc\u202C",
          "🦑🧵\u200D💥",
          "%3Csvg/onload=alert(5)%3E",
          "../../etc/passwd?x=1#y",
          "x".repeat(200));

  private static Chromium chromium;

  @TempDir Path folder;
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

  private void start(ServerOptions options) throws IOException {
    services = Services.of(Holdfast.inMemory());
    server = HoldfastServer.start(services, options.port(0));
  }

  @AfterEach
  void stop() {
    List<String> complaints = chromium.leave();
    server.close();
    assertThat(complaints).filteredOn(text -> !isExpected(text)).isEmpty();
  }

  /** A browser tells by itself that a server is not there, or is about to end. */
  private static boolean isExpected(String complaint) {
    return complaint.contains("net::ERR_") || complaint.contains("status of 503");
  }

  private static String encoded(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private void fill(String name) {
    services.queues().create(NewQueue.named(name));
    services.queues().queue(name).produce(NewItem.text(name).withKind(name).withReference(name));
    services.streams().push(List.of(NewMessage.to(name, "\"x\"").in(name).once(name)));
    services.streams().pop(PopRequest.of(name).group(name));
    services.jobs().enqueue(NewJob.of(name).queue(name).payload(name).id(name));
    services.locks().acquire(name, Duration.ofMinutes(10));
  }

  private static void showsAsText(Page page, String name) {
    assertThat(page.locator("main")).containsText(name);
    assertThat(page.locator("main script, main img, main [onmouseover], main [onerror]"))
        .hasCount(0);
  }

  @Test
  void hostile_names_and_payloads_are_text() throws IOException {
    start(ServerOptions.DEFAULTS);
    HOSTILE.forEach(this::fill);

    Page page = chromium.open(server.address() + "/");
    for (String name : HOSTILE) {
      go(page, "queues/" + encoded(name));
      showsAsText(page, name);
      page.getByText("Peek").first().click();
      assertThat(page.locator("dialog pre")).containsText(name);
      page.keyboard().press("Escape");
      for (String place : List.of("streams", "jobs", "locks", "job")) {
        go(page, place + "/" + encoded(name));
        showsAsText(page, name);
      }
    }
    go(page, "trace/" + encoded(HOSTILE.get(0)));
    assertThat(page.locator("main input").first()).hasValue(HOSTILE.get(0));
    for (String place : List.of("queues", "streams", "jobs", "locks")) {
      go(page, place);
      HOSTILE.forEach(name -> showsAsText(page, name));
      page.locator("#query").fill("<script>");
      assertThat(page.locator("#found a").first()).containsText("<script>alert(1)</script>");
      page.locator("#query").fill("");
    }
  }

  private static void go(Page page, String place) {
    page.evaluate("hash => { location.hash = hash }", "#/" + place);
  }

  private void withTokens() throws IOException {
    Path file = folder.resolve("tokens");
    Files.write(
        file,
        List.of(
            Tokens.line("root", Set.of(Role.ADMIN), List.of(), "root-token"),
            Tokens.line("viewer", Set.of(Role.READ), List.of("mai"), "view-token")));
    start(ServerOptions.DEFAULTS.tokens(file));
    new Shop(services).open();
  }

  private static void signIn(Page page, String token) {
    page.locator("dialog input[name=token]").fill(token);
    page.locator("dialog button[type=submit]").click();
  }

  @Test
  void a_token_is_asked_for_until_a_good_one_comes_and_is_kept_in_the_tab_only()
      throws IOException {
    withTokens();
    Page page = chromium.open(server.address() + "/");

    assertThat(page.locator("main")).not().containsText("mails");
    signIn(page, "wrong");
    assertThat(page.locator("dialog .error")).containsText("refused");
    signIn(page, "root-token");
    assertThat(page.locator("main")).containsText("mails");
    assertThat(page.locator("#about")).containsText("signed in as root");

    page.reload();
    assertThat(page.locator("main")).containsText("mails");
    assertThat(page.evaluate("document.cookie + JSON.stringify(localStorage)")).isEqualTo("{}");
    page.getByText("Sign out").click();
    assertThat(page.locator("dialog")).containsText("wants a token");
  }

  @Test
  void a_late_refusal_of_an_old_token_does_not_ask_for_another() throws IOException {
    start(ServerOptions.DEFAULTS);
    Page page = chromium.open(server.address() + "/");

    Object asked =
        page.evaluate(
            """
            async () => {
              const app = document.querySelector("script[type=module]").src;
              const api = await import(new URL("api.js", app).href);
              let asked = 0;
              api.onTokenNeeded(async () => asked++);
              window.fetch = async (path, init) => {
                if (init.headers.Authorization === "Bearer new") return new Response("{}");
                api.setToken("new");
                return new Response("{}", { status: 401 });
              };
              api.setToken("old");
              await api.get("/anything");
              return asked;
            }""");

    assertThat(asked).isEqualTo(0);
  }

  @Test
  void a_token_for_some_names_shows_only_those_and_no_action() throws IOException {
    withTokens();
    Page page = chromium.open(server.address() + "/");
    signIn(page, "view-token");

    assertThat(page.locator("main")).containsText("mails-dead");
    assertThat(page.locator("main")).not().containsText("thumbnails");
    assertThat(page.locator("a[href='#/streams/orders'], a[href='#/jobs/reports']")).hasCount(0);
    assertThat(page.locator("main")).not().containsText(Shop.KEY);
    page.evaluate("() => { location.hash = '#/queues/mails' }");
    assertThat(page.getByText("Pause").first()).isDisabled();
    assertThat(page.getByText("Clear").first()).isDisabled();
  }

  @Test
  void an_image_on_a_page_from_elsewhere_takes_no_message() throws IOException {
    start(ServerOptions.DEFAULTS);
    services.streams().push(List.of(NewMessage.to("orders", "1")));
    String elsewhere = "http://localhost:" + server.address().getPort();
    Page page = chromium.open(server.address() + "/live");

    page.evaluate(
        """
        url => new Promise(done => {
          const image = new Image();
          image.onload = image.onerror = () => done();
          image.src = url;
        })""",
        elsewhere + "/api/v1/pop/queue/orders?autoAck=true");

    assertThat(services.streams().pop(PopRequest.of("orders")).batches()).hasSize(1);
    chromium.leave(); // it complains about pictures that are none
  }

  @Test
  void a_server_that_went_away_is_said_and_found_again() throws IOException {
    int port = LastingPort.free();
    services = Services.of(Holdfast.inMemory());
    server = HoldfastServer.start(services, ServerOptions.DEFAULTS.port(port));
    Page page = chromium.open(server.address() + "/");
    assertThat(page.locator(".pulse")).containsText("Live");

    server.close();
    assertThat(page.locator(".pulse")).containsText("Not connected");

    services = Services.of(Holdfast.inMemory());
    server = HoldfastServer.start(services, ServerOptions.DEFAULTS.port(port));
    services.queues().create(NewQueue.named("reborn"));
    assertThat(page.locator("main")).containsText("reborn");
  }
}
