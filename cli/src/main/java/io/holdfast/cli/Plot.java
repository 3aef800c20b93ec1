package io.holdfast.cli;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;

/** A line of values over seconds, as a picture. */
final class Plot {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 360;
  private static final int MARGIN = 60;
  private static final int LINES = 4;

  private Plot() {}

  static void write(Path file, String title, List<Long> values) throws IOException {
    BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
    Graphics2D pen = image.createGraphics();
    pen.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    pen.setColor(Color.WHITE);
    pen.fillRect(0, 0, WIDTH, HEIGHT);
    long top = Math.max(1, values.stream().mapToLong(Long::longValue).max().orElse(1));
    pen.setColor(Color.GRAY);
    pen.drawString(title, MARGIN, MARGIN / 2);
    for (int i = 0; i <= LINES; i++) {
      int y = y(top * i / LINES, top);
      pen.setColor(new Color(0xe0e0e0));
      pen.drawLine(MARGIN, y, WIDTH - MARGIN / 2, y);
      pen.setColor(Color.GRAY);
      pen.drawString("%,d".formatted(top * i / LINES), 4, y + 4);
    }
    pen.setColor(new Color(0x2563eb));
    pen.setStroke(new BasicStroke(2));
    for (int i = 1; i < values.size(); i++) {
      pen.drawLine(
          x(i - 1, values.size()),
          y(values.get(i - 1), top),
          x(i, values.size()),
          y(values.get(i), top));
    }
    pen.dispose();
    ImageIO.write(image, "png", file.toFile());
  }

  private static int x(int index, int count) {
    return MARGIN + index * (WIDTH - MARGIN - MARGIN / 2) / Math.max(1, count - 1);
  }

  private static int y(long value, long top) {
    return (int) (HEIGHT - MARGIN / 2 - value * (HEIGHT - MARGIN - MARGIN / 2) / top);
  }
}
