import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { BalanceHistory } from "../../../typescript/types.gen.ts";

const height = 230;
const axisWidth = 72;

interface ChartProps {
  readonly points: BalanceHistory["data"];
  /** The index of the point under the pointer; undefined once it has left. */
  readonly point: (index: number | undefined) => void;
}

/** Posted and available over time, in steps. The table under it says the same. */
export function Chart({ points, point }: ChartProps) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = container.current;
    if (element === null) return;
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    let plot = draw(element, points, point);
    const redraw = () => {
      plot.destroy();
      plot = draw(element, points, point);
    };
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    scheme.addEventListener("change", redraw);
    return () => {
      observer.disconnect();
      scheme.removeEventListener("change", redraw);
      plot.destroy();
    };
  }, [points, point]);
  return <div ref={container} className="chart" aria-hidden />;
}

function draw(element: HTMLElement, points: ChartProps["points"], point: ChartProps["point"]): uPlot {
  const style = getComputedStyle(element);
  const [posted, available, fill, grid, text] = ["--accent", "--ok", "--accent-soft", "--line", "--ink3"].map(
    (name) => colorOf(element, name),
  ) as [string, string, string, string, string];
  const paths = uPlot.paths.stepped?.({ align: -1 });
  const line = { width: 2, points: { show: false }, ...(paths === undefined ? {} : { paths }) };
  const axis = { stroke: text, font: `12px ${style.fontFamily}`, ticks: { show: false } };
  const options: uPlot.Options = {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    scales: { y: { range: rangeOf } },
    axes: [
      { ...axis, grid: { show: false } },
      {
        ...axis,
        size: axisWidth,
        grid: { stroke: grid, width: 1 },
        values: (_, cents) => cents.map(short),
      },
    ],
    series: [{}, { ...line, stroke: posted, fill }, { ...line, stroke: available }],
    hooks: { setCursor: [({ cursor: { idx } }) => point(idx ?? undefined)] },
  };
  const data: uPlot.AlignedData = [
    points.map(({ at }) => Date.parse(at) / 1_000),
    points.map(({ postedBalanceCents }) => postedBalanceCents),
    points.map(({ availableBalanceCents }) => availableBalanceCents),
  ];
  return new uPlot(options, data, element);
}

/** Always with zero, so that a small change does not look like a large one. */
function rangeOf(_: uPlot, min: number, max: number): [number, number] {
  const low = Math.min(0, min);
  const high = Math.max(0, max);
  const room = Math.max((high - low) * 0.08, 100);
  return [low === 0 ? 0 : low - room, high + room];
}

/** A canvas knows no variables, and no `light-dark()`. */
function colorOf(element: HTMLElement, name: string): string {
  const probe = element.appendChild(document.createElement("i"));
  probe.style.color = `var(${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const units = [
  [100_000_000_000, "B"],
  [100_000_000, "M"],
  [100_000, "k"],
] as const;

/** Cents on the axis, the one place where an amount is abbreviated: `$600k`. */
function short(cents: number): string {
  const sign = cents < 0 ? "\u2212" : "";
  const size = Math.abs(cents);
  const [unit, letter] = units.find(([one]) => size >= one) ?? [100, ""];
  return `${sign}$${(size / unit).toLocaleString("en-US", { maximumFractionDigits: 2 })}${letter}`;
}
