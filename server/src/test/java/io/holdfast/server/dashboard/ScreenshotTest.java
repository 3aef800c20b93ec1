package io.holdfast.server.dashboard;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.holdfast.Holdfast;
import io.holdfast.server.HoldfastServer;
import io.holdfast.server.ServerOptions;
import io.holdfast.server.Services;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Takes the pictures of {@code docs/images}, with traffic running for as long as charts need:
 * {@code -Dholdfast.screenshots=true}.
 */
@EnabledIfSystemProperty(named = "holdfast.screenshots", matches = "true")
class ScreenshotTest {
  private static final Path IMAGES = Path.of("../docs/images");
  private static final long LARGEST = 200_000;

  private Chromium chromium;
  private HoldfastServer server;

  @Test
  void pictures_are_taken() throws Exception {
    Services services = Services.of(Holdfast.inMemory());
    server = HoldfastServer.start(services, ServerOptions.DEFAULTS.port(0).version("0.1.0"));
    chromium = new Chromium();
    new Shop(services).open();
    try (Traffic traffic = new Traffic(services)) {
      traffic.start();
      Page watching = chromium.open(server.address() + "/");
      assertThat(watching.locator("html")).hasAttribute("data-ready", "true");
      TimeUnit.SECONDS.sleep(Long.getLong("holdfast.screenshots.seconds", 150));
      take("overview-light", "", ColorScheme.LIGHT, 1280);
      take("overview-dark", "", ColorScheme.DARK, 1280);
      take("queue", "#/queues/mails", ColorScheme.LIGHT, 1280);
      take("stream", "#/streams/orders", ColorScheme.LIGHT, 1280);
      take("jobs", "#/jobs/reports", ColorScheme.DARK, 1280);
      take("lock", "#/locks", ColorScheme.LIGHT, 1280);
      take("phone", "", ColorScheme.DARK, 380);
      take("trace", "#/trace/" + Shop.TRACE, ColorScheme.LIGHT, 1280);
      assertThat(chromium.leave()).isEmpty();
    } finally {
      server.close();
      chromium.close();
    }
  }

  private void take(String name, String hash, ColorScheme scheme, int width) throws IOException {
    Page page = chromium.open(server.address() + "/" + hash, scheme, width);
    assertThat(page.locator("html")).hasAttribute("data-ready", "true");
    page.waitForTimeout(6_000);
    Path file = IMAGES.resolve(name + ".png");
    Files.createDirectories(IMAGES);
    page.screenshot(new Page.ScreenshotOptions().setPath(file).setFullPage(width < 1000));
    page.context().close();
    assertThat(Files.size(file)).isLessThan(LARGEST);
  }
}
