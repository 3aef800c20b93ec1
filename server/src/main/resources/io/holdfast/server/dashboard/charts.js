// Sparklines are drawn here; the larger charts by Chart.js. Both only change what changed.

const SVG = "http://www.w3.org/2000/svg";
const WINDOW = 5 * 60000;
const GAP = 30000;

/** A small picture of a course. */
export function spark(toneName) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "spark");
  svg.setAttribute("viewBox", "0 0 100 30");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  if (toneName) svg.dataset.tone = toneName;
  const area = document.createElementNS(SVG, "path");
  area.setAttribute("class", "area");
  const line = document.createElementNS(SVG, "path");
  svg.append(area, line);
  return svg;
}

export function drawSpark(svg, points, toneName) {
  if (toneName !== undefined) {
    if (toneName) svg.dataset.tone = toneName;
    else delete svg.dataset.tone;
  }
  const end = points.length ? points[points.length - 1].x : 0;
  let shown = points.filter((p) => p.x >= end - WINDOW);
  for (let i = shown.length - 1; i > 0; i--) {
    if (shown[i].x - shown[i - 1].x > GAP) {
      shown = shown.slice(i);
      break;
    }
  }
  const [area, line] = svg.children;
  if (shown.length < 2) {
    line.setAttribute("d", "M0 29H100");
    area.setAttribute("d", "");
    return;
  }
  const top = Math.max(1, ...shown.map((p) => p.y));
  const begin = shown[0].x;
  const width = Math.max(1, end - begin);
  const path = shown
    .map(
      (p, i) =>
        (i ? "L" : "M") +
        (((p.x - begin) / width) * 100).toFixed(1) +
        " " +
        (28 - (p.y / top) * 25).toFixed(1),
    )
    .join("");
  line.setAttribute("d", path);
  area.setAttribute("d", path + "L100 30L0 30Z");
}

/** Breaks a line where nobody was looking. */
function broken(points) {
  const parts = [];
  points.forEach((p, i) => {
    if (i && p.x - points[i - 1].x > GAP) parts.push({ x: points[i - 1].x + 1, y: NaN });
    parts.push(p);
  });
  return parts;
}

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

const all = new Set();
const STEPS = [5000, 10000, 15000, 30000, 60000, 120000];

/** Colours are read anew when the theme changes. */
export function recolour() {
  for (const chart of all) chart.paint();
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const exact = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/**
 * A chart of courses over the last minutes. lines: [{label, colour: "--flow", fill}].
 * Answers {node, legend, update(courses), close()}.
 */
export function chart(label, lines, options = {}) {
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", label);
  const node = document.createElement("div");
  node.className = "chart";
  node.append(canvas);
  const legend = document.createElement("div");
  legend.className = "legend";
  const marks = lines.map((l) => {
    const item = document.createElement("span");
    const mark = document.createElement("i");
    item.append(mark, document.createTextNode(l.label));
    legend.append(item);
    return mark;
  });
  const drawn = new window.Chart(canvas, {
    type: "line",
    data: {
      datasets: lines.map((l, i) => ({
        label: l.label,
        data: [],
        borderWidth: 2,
        pointRadius: 0,
        pointHitRadius: 8,
        tension: 0.25,
        fill: l.fill ? (options.stacked && i ? "-1" : "origin") : false,
        stack: options.stacked ? "all" : undefined,
      })),
    },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      interaction: { mode: "index", intersect: false, axis: "x" },
      plugins: {
        legend: { display: false },
        tooltip: {
          callbacks: {
            title: (items) => (items.length ? exact.format(items[0].parsed.x) : ""),
            label: (item) =>
              " " +
              item.dataset.label +
              "  " +
              (options.format ? options.format(item.parsed.y) : Math.round(item.parsed.y * 10) / 10),
          },
        },
      },
      scales: {
        x: {
          type: "linear",
          grid: { display: false },
          border: { display: false },
          ticks: { maxTicksLimit: 6, maxRotation: 0, callback: (v) => clock.format(v), font: { size: 11 } },
        },
        y: {
          beginAtZero: true,
          stacked: Boolean(options.stacked),
          suggestedMax: options.top || 5,
          border: { display: false },
          ticks: {
            maxTicksLimit: 5,
            precision: options.format ? undefined : 0,
            font: { size: 11 },
            callback: options.format ? (v) => options.format(v) : undefined,
          },
        },
      },
    },
  });
  const self = {
    node,
    legend,
    paint() {
      lines.forEach((l, i) => {
        const colour = css(l.colour);
        drawn.data.datasets[i].borderColor = colour;
        drawn.data.datasets[i].backgroundColor = l.fill
          ? `color-mix(in srgb, ${colour} 14%, transparent)`
          : colour;
        marks[i].style.background = colour;
      });
      const { x, y } = drawn.options.scales;
      x.ticks.color = css("--faint");
      y.ticks.color = css("--faint");
      y.grid = { color: css("--line"), drawTicks: false };
      drawn.options.plugins.tooltip.backgroundColor = css("--text");
      drawn.options.plugins.tooltip.titleColor = css("--card");
      drawn.options.plugins.tooltip.bodyColor = css("--card");
      drawn.update("none");
    },
    update(courses) {
      let end = 0;
      courses.forEach((points, i) => {
        drawn.data.datasets[i].data = broken(points);
        if (points.length) end = Math.max(end, points[points.length - 1].x);
      });
      if (end) {
        const begin = Math.min(...courses.filter((c) => c.length).map((c) => c[0].x));
        const x = drawn.options.scales.x;
        x.max = end;
        x.min = Math.min(end - 60000, Math.max(begin, end - 10 * 60000));
        const step =
          STEPS.find((s) => (x.max - x.min) / s <= (canvas.clientWidth < 420 ? 3 : 6)) ||
          STEPS[STEPS.length - 1];
        x.afterBuildTicks = (axis) => {
          axis.ticks = [];
          for (let t = Math.ceil(x.min / step) * step; t <= x.max; t += step) axis.ticks.push({ value: t });
        };
        x.ticks.callback = (v) => (step < 60000 ? exact : clock).format(v);
      }
      drawn.update("none");
    },
    close() {
      all.delete(self);
      drawn.destroy();
    },
  };
  all.add(self);
  self.paint();
  return self;
}
