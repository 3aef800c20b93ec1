package io.holdfast.server.dashboard;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** The distribution's browser, without a window; tests that need it are skipped where it is not. */
final class Chromium implements AutoCloseable {
  private static final List<String> PLACES =
      List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
  private static final List<String> QUIET =
      List.of(
          "--no-sandbox",
          "--disable-gpu",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--no-first-run");
  private static final double PATIENCE_MS = 20_000;

  private final Playwright playwright;
  private final Browser browser;

  private final List<String> complaints = new CopyOnWriteArrayList<>();

  Chromium() {
    Optional<Path> found =
        Stream.of(PLACES).flatMap(List::stream).map(Path::of).filter(Files::isExecutable).findAny();
    assumeTrue(found.isPresent(), "there is no Chromium on this machine");
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(
                new BrowserType.LaunchOptions()
                    .setExecutablePath(found.orElseThrow())
                    .setArgs(QUIET));
    PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MS);
  }

  /** Closes all pages; answers what they complained about. */
  List<String> leave() {
    List.copyOf(browser.contexts()).forEach(BrowserContext::close);
    List<String> heard = List.copyOf(complaints);
    complaints.clear();
    return heard;
  }

  /** A page of its own: no token, nothing remembered. */
  Page open(String address) {
    return open(address, ColorScheme.LIGHT, 1280);
  }

  Page open(String address, ColorScheme scheme, int width) {
    BrowserContext context =
        browser.newContext(
            new Browser.NewContextOptions().setColorScheme(scheme).setViewportSize(width, 1000));
    Page page = context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.onConsoleMessage(
        message -> {
          // A refused token is told by the browser itself.
          if (!message.type().equals("log") && !message.text().contains(" 401 ")) {
            complaints.add(message.type() + ": " + message.text());
          }
        });
    page.onPageError(complaints::add);
    page.onDialog(
        dialog -> {
          complaints.add("a script opened a dialog: " + dialog.message());
          dialog.dismiss();
        });
    page.navigate(address);
    return page;
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }
}
