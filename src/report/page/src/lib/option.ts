// What the options of all charts have in common.
import type { Colours } from "./colours";
import { el } from "./dom";
import type { Option } from "./echarts";
import { plain } from "./format";

// By name: what is drawn has to be measured first.
const kFont = 'system-ui, "Segoe UI", "Noto Sans", Roboto, sans-serif';

// As style.css has it: a phone.
export const narrow = window.matchMedia("(max-width: 640px)");

export interface Axis {
  name: string;
  format?: (value: number) => string;
  log?: boolean;
  base?: number; // of the logarithm; 10
  words?: string[]; // of an axis of words instead of numbers
  min?: number | "dataMin";
  max?: number | "dataMax";
  inverse?: boolean;
  interval?: number; // between its marks
}

// Between marks of an axis of bytes: a power of two, so that its numbers are round ones.
export function byteInterval(most: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, most) / 5)));
}

export type Lines = [string, string][];

// The box beside the pointer, as an element: names in it are text.
export function tip(title: string, lines: Lines): HTMLElement {
  return el("div", { class: "tip" }, el("strong", {}, title),
    ...lines.map(([name, value]) => el("div", {}, el("span", {}, name), el("span", {}, value))));
}

export function axis(of: Axis, c: Colours, vertical: boolean): Option {
  const format = of.format ?? ((value: number) => plain(value));
  const label = { color: c.muted, hideOverlap: true, fontSize: 11 };
  const common = {
    name: of.name, nameLocation: !vertical ? "middle" : of.inverse === true ? "start" : "end", nameGap: vertical ? 10 : 28, inverse: of.inverse === true,
    nameTextStyle: { color: c.muted, fontSize: 12, align: vertical ? "left" : "center" }, nameTruncate: { maxWidth: narrow.matches ? 220 : 420 },
    axisLine: { show: !vertical, lineStyle: { color: c.line } },
    axisTick: { show: false },
  };
  if (of.words !== undefined) {
    // Few words have room for two lines each.
    const lines = vertical && narrow.matches && of.words.length <= 4;
    const width = vertical ? (narrow.matches ? 110 : 180) : narrow.matches ? 62 : of.words.length <= 4 ? 130 : 90;
    // A width makes labels that wide, and their neighbours would be left out as overlapped: only where words are long.
    const long = vertical || Math.max(0, ...of.words.map((word) => word.length)) * 6.5 > width;
    return { ...common, type: "category", data: of.words, axisLabel: { ...label, interval: of.words.length <= 4 ? 0 : undefined, fontSize: !vertical && narrow.matches ? 9 : 11, width: long ? width : undefined, lineHeight: 13, overflow: lines ? "break" : "truncate" } };
  }
  // The last mark is a whole one too.
  const step = of.interval;
  const end = step === undefined ? undefined : (seen: { max: number }) => step * Math.ceil(seen.max / step);
  return {
    ...common, type: of.log === true ? "log" : "value", logBase: of.base ?? 10, scale: true, min: of.min, max: of.max ?? end, interval: of.interval,
    axisLabel: { ...label, formatter: format }, splitLine: { lineStyle: { color: c.line, opacity: 0.7 } },
  };
}

export function chart(c: Colours, x: Axis, y: Axis, series: Option[], more: Option = {}): Option {
  const names = [...new Set(series.filter((one) => typeof one.name === "string" && one.silent !== true).map((one) => one.name))];
  const legend = names.length > 1;
  return {
    color: c.series,
    animation: false,
    textStyle: { fontFamily: kFont, color: c.ink },
    grid: { left: 8, right: 18, top: (legend ? 36 : 12) + (y.name === "" ? 0 : 24), bottom: 28, containLabel: true },
    legend: legend
      ? { type: "scroll", data: names, top: 2, left: 0, right: 0, itemWidth: 16, itemHeight: 9, textStyle: { color: c.ink },
          pageIconColor: c.ink, pageTextStyle: { color: c.muted } }
      : undefined,
    tooltip: tooltip(c),
    xAxis: axis(x, c, false),
    yAxis: axis(y, c, true),
    series,
    ...more,
  };
}

export function tooltip(c: Colours, more: Option = {}): Option {
  return {
    trigger: "item", confine: true, backgroundColor: c.card, borderColor: c.line, padding: 8,
    textStyle: { color: c.ink, fontSize: 12 }, ...more,
  };
}

// The box for charts of lines over one axis.
export function axisTip(c: Colours, head: (x: number | string) => string, value: (y: number, name: string) => string): Option {
  return tooltip(c, {
    trigger: "axis",
    formatter: (items: { axisValue: number | string; seriesName: string; value: unknown }[]) => {
      const lines: Lines = [];
      for (const item of items) {
        const y = Array.isArray(item.value) ? (item.value as unknown[])[1] : item.value;
        if (typeof y === "number" && item.seriesName !== "") lines.push([item.seriesName, value(y, item.seriesName)]);
      }
      return tip(head(items[0]?.axisValue ?? ""), lines);
    },
  });
}

export function line(name: string, data: (number | null)[][], more: Option = {}): Option {
  return { type: "line", name, data, showSymbol: false, symbol: "circle", symbolSize: 6, lineStyle: { width: 2 }, ...more };
}

export function rule(value: number, label: string, c: Colours, vertical: boolean, above = true): Option {
  return {
    silent: true, symbol: "none", lineStyle: { color: c.muted, type: "dashed" },
    label: { formatter: label, color: c.muted, position: vertical ? "insideEndTop" : above ? "insideStartTop" : "insideStartBottom", fontSize: 11 },
    data: [vertical ? { xAxis: value } : { yAxis: value }],
  };
}

// A heat map over two axes of words.
export function heat(
  c: Colours, x: Axis, y: Axis, cells: [number, number, number][], format: (value: number) => string,
  middle: number | null = null, mark = true,
): Option {
  const values = cells.map((cell) => cell[2]).filter((value) => Number.isFinite(value));
  let low = Math.min(...values);
  let high = Math.max(...values);
  if (!(low < high)) [low, high] = [low - 0.5, high + 0.5];
  const around = middle === null ? 0 : Math.max(Math.abs(low - middle), Math.abs(high - middle), 1e-9);
  const range = middle === null ? [low, high] : [middle - around, middle + around];
  const scale = middle === null ? [c.low, c.high] : [c.good, c.dark ? "#2a323b" : "#f4f4f2", c.bad];
  const few = mark && cells.length <= 150 && (!narrow.matches || (x.words?.length ?? 0) <= 5); // else they would not fit into their cells
  return chart(c, { ...x, format: undefined }, y, [{
    type: "heatmap", data: cells.map((cell) => labelled(cell, range, c, middle)), emphasis: { itemStyle: { borderColor: c.ink, borderWidth: 1 } },
    itemStyle: { borderColor: c.card, borderWidth: cells.length <= 2000 ? 1 : 0 },
    label: { show: few, fontSize: 10, formatter: (item: { value: number[] }) => format(item.value[2] ?? NaN) },
  }], {
    visualMap: { min: range[0], max: range[1], calculable: false, orient: "horizontal", left: "center", top: 0, itemHeight: 140,
      itemWidth: 10, text: [format(range[1] ?? 0), format(range[0] ?? 0)], textStyle: { color: c.muted }, inRange: { color: scale } },
    grid: { left: 8, right: 18, top: 58, bottom: 28, containLabel: true },
    tooltip: tooltip(c, {
      formatter: (item: { value: number[] }) => tip(`${x.name} ${x.words?.[item.value[0] ?? 0] ?? ""}`, [
        [y.name, y.words?.[item.value[1] ?? 0] ?? ""], ["value", format(item.value[2] ?? NaN)]]),
    }),
  });
}

// Dark words on light cells and light ones on dark cells.
function labelled(cell: [number, number, number], range: (number | undefined)[], c: Colours, middle: number | null): Option {
  const [low = 0, high = 1] = range;
  const share = (cell[2] - low) / (high - low || 1);
  const strong = middle === null ? share > 0.5 : Math.abs(share - 0.5) > 0.28;
  const color = c.dark ? (strong ? "#10151a" : "#e7ebef") : strong ? "#ffffff" : "#1d2329";
  return { value: cell, label: { color } };
}
