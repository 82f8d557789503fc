// Who did what when: ranks over time, with zoom.
import { binsOf, columns, kinds } from "../lib/bins";
import type { Bins, Column } from "../lib/bins";
import type { Colours } from "../lib/colours";
import { Cells, cellSeries } from "../lib/cells";
import type { Api, Box } from "../lib/cells";
import { button, choice } from "../lib/dom";
import type { EChartsType, Option } from "../lib/echarts";
import { bytes, count, nanoseconds, percent, seconds } from "../lib/format";
import { chart, tip, tooltip } from "../lib/option";
import type { Cell } from "../lib/csv";
import { docs, num, text } from "../lib/value";
import type { Doc } from "../lib/value";
import type { View } from "../lib/view";

const kMostMarks = 16000;

export function processName(process: Doc | undefined): string {
  const rank = num(process, "rank");
  if (rank !== null) return `rank ${rank}`;
  const program = (text(process, "program") ?? "").split("/").pop() ?? "";
  return `${program === "" ? "process" : program} ${num(process, "pid") ?? "?"}`;
}

export function rowNames(bins: Bins, processes: Doc[]): string[] {
  return bins.rows.map((row) => {
    const first = processName(processes[row.processes[0] ?? -1]);
    const last = processName(processes[row.processes[row.processes.length - 1] ?? -1]);
    return row.processes.length < 2 ? first : `${first} – ${last.replace("rank ", "")}`;
  });
}

class Timeline {
  private from = 0; // shares of the whole
  private to = 1;
  private only: number | null = null;
  private chart: EChartsType | null = null;
  private shown: number[][] = []; // from, to (s), row, kind, share, calls, bytes
  private readonly kept = new Cells();

  constructor(private readonly bins: Bins, private readonly names: string[]) {}

  private get span(): number {
    return this.bins.count * this.bins.width / 1e9;
  }

  private cells(): Column[] {
    const { count: all, rows } = this.bins;
    const most = Math.max(40, Math.min(400, Math.floor(kMostMarks / Math.max(1, rows.length))));
    return columns(this.bins, Math.floor(this.from * all), Math.ceil(this.to * all), most, this.only);
  }

  private data(): number[][] {
    const bin = this.bins.width / 1e9;
    this.shown = this.cells().map((one) => {
      const threads = this.bins.rows[one.row]?.processes.length ?? 1;
      return [one.from * bin, one.to * bin, one.row, one.kind, one.time / 1e9 / ((one.to - one.from) * bin * threads), one.calls, one.bytes];
    });
    return this.shown;
  }

  // Sums the window up anew each time: what is drawn is never finer than the screen.
  private paint(context: CanvasRenderingContext2D, api: Api, box: Box, c: Colours): void {
    const [left = 0, first = 0] = api.coord([0, 0]);
    const scale = ((api.coord([this.span, 0])[0] ?? 0) - left) / this.span;
    const step = api.size([0, 1])[1] ?? 10;
    const share_of = (x: number) => Math.min(1, Math.max(0, Math.round(1e9 * (x - left) / scale / this.span) / 1e9));
    [this.from, this.to] = [share_of(box.x), share_of(box.x + box.width)];
    for (const [from = 0, to = 0, row = 0, kind = 0, share = 0] of this.data()) {
      const x = Math.floor(left + from * scale); // on whole pixels: columns side by side have no seam
      context.globalAlpha = 0.25 + 0.75 * Math.sqrt(Math.min(1, share));
      context.fillStyle = c.series[kind] ?? c.ink;
      context.fillRect(x, first + (row - 0.43) * step, Math.max(1, Math.floor(left + to * scale) - x), 0.86 * step);
    }
  }

  option(c: Colours): Option {
    const made = chart(c, { name: "seconds since the first call", min: 0, max: this.span, format: (x) => seconds(x) }, { name: "", words: this.names, inverse: true }, [
      // Series without marks name the colours.
      ...kinds.map((kind, i) => ({ type: "custom", name: kind, itemStyle: { color: c.series[i] }, data: [], renderItem: () => null })),
      cellSeries([0, this.span, 0], { x: [0, 1], y: 2 }, (context, api, box) => this.paint(context, api, box, c)),
    ], {
      dataZoom: [
        { type: "inside", filterMode: "none", start: 100 * this.from, end: 100 * this.to, zoomOnMouseWheel: "ctrl", moveOnMouseMove: true },
        { type: "slider", filterMode: "none", start: 100 * this.from, end: 100 * this.to, height: 18, bottom: 4, brushSelect: false, showDataShadow: false,
          labelFormatter: (x: number) => seconds(x), textStyle: { color: c.muted }, borderColor: c.line },
      ],
      tooltip: tooltip(c, { formatter: () => this.told() }),
    });
    made.grid = { left: 8, right: 24, top: 36, bottom: 58, containLabel: true };
    made.legend = { type: "scroll", top: 2, left: 0, itemWidth: 14, itemHeight: 10, textStyle: { color: c.ink }, selectedMode: false, data: [...kinds] };
    return made;
  }

  private told(): HTMLElement | string {
    const [x, y] = this.kept.pointed();
    const cell = this.shown.find(([from = 0, to = 0, row = 0]) => row === Math.round(y) && from <= x && x < to);
    if (cell === undefined) return "";
    const [from = 0, to = 0, row = 0, kind = 0, share = 0, calls = 0, moved = 0] = cell;
    return tip(this.names[row] ?? "", [["from", seconds(from)], ["for", seconds(to - from)], ["mostly", kinds[kind] ?? ""], ["in calls", percent(share)],
      ["calls", count(calls)], ["moved", bytes(moved)]]);
  }

  ready(made: EChartsType): void {
    this.chart = made;
    this.kept.follow(made, () => this.shown);
    made.getDom().addEventListener("keydown", (event) => {
      const width = this.to - this.from;
      const move: Record<string, [number, number]> = {
        "+": [this.from + width / 4, this.to - width / 4], "-": [this.from - width / 2, this.to + width / 2],
        "ArrowLeft": [this.from - width / 4, this.to - width / 4], "ArrowRight": [this.from + width / 4, this.to + width / 4], "0": [0, 1],
      };
      const next = move[event.key];
      if (next === undefined) return;
      event.preventDefault();
      this.show(...next);
    });
  }

  private show(from: number, to: number): void {
    const width = Math.min(1, Math.max(to - from, 8 / Math.max(8, this.bins.count)));
    const start = Math.min(1 - width, Math.max(0, from));
    this.chart?.dispatchAction({ type: "dataZoom", start: 100 * start, end: 100 * (start + width) });
  }

  controls(): HTMLElement[] {
    const around = (factor: number) => () => {
      const middle = 0.5 * (this.from + this.to);
      const half = 0.5 * factor * (this.to - this.from);
      this.show(middle - half, middle + half);
    };
    return [
      choice("Show", ["all calls", ...kinds], (index) => {
        this.only = index === 0 ? null : index - 1;
        this.chart?.setOption({ series: [{ id: "cells", data: [[0, this.span, 0]] }] });
      }),
      button("+", "Zoom in", around(0.5)), button("−", "Zoom out", around(2)), button("All", "Show the whole run", () => this.show(0, 1)),
    ];
  }
}

export function timelineView(document: Doc): View | null {
  const bins = binsOf(document.timeline as Doc ?? {});
  if (bins.count === 0 || bins.rows.length === 0) return null;
  const names = rowNames(bins, docs(document, "stat", "process_list"));
  const timeline = new Timeline(bins, names);
  const busy = kinds.map((_, k) => bins.rows.reduce((sum, row) => sum + (row.cells[k]?.time ?? []).reduce((a, b) => a + b, 0), 0));
  const most = busy.indexOf(Math.max(...busy));
  const span = bins.count * bins.width;
  const available = span * bins.rows.reduce((sum, row) => sum + row.processes.length, 0);
  const all = busy.reduce((a, b) => a + b, 0);
  return {
    title: "Timeline",
    says: `What each process spends its time in, out of ${nanoseconds(span)}: ${percent(all / available)} of it in recorded calls, most of that in ${kinds[most] ?? ""} `
      + `(${percent(all > 0 ? (busy[most] ?? 0) / all : 0)}). Strong colour means busy; rows that differ from the others point to uneven work. `
      + `Zoom with the buttons, the slider, Ctrl and the wheel, or + − ← → 0 on the keyboard; one bin is ${nanoseconds(bins.width)}.`,
    wide: true,
    controls: timeline.controls(),
    numbers: () => ({
      columns: ["processes", "kind", "start_s", "duration_s", "calls", "time_s", "bytes"],
      rows: bins.rows.flatMap((row, i) => row.cells.flatMap((cells, k) => cells.bin.map((bin, j): Cell[] =>
        [names[i] ?? "", kinds[k] ?? "", bin * bins.width / 1e9, bins.width / 1e9, cells.calls[j] ?? 0, (cells.time[j] ?? 0) / 1e9, cells.bytes[j] ?? 0]))),
    }),
    chart: { canvas: true, height: Math.min(900, 130 + Math.max(4, names.length) * (names.length > 48 ? 7 : 22)),
      option: (c) => timeline.option(c), ready: (made) => timeline.ready(made) },
  };
}
