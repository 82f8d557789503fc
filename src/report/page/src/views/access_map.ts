// Where in a file, when and by whom: the file's bytes over time.
import type { Colours } from "../lib/colours";
import { Cells, cellSeries } from "../lib/cells";
import type { Api } from "../lib/cells";
import { choice } from "../lib/dom";
import type { EChartsType, Option } from "../lib/echarts";
import { bytes, count, greatest, many, seconds, shortName } from "../lib/format";
import { byteInterval, chart, tip, tooltip } from "../lib/option";
import { docs, num, numbers, text } from "../lib/value";
import type { Doc } from "../lib/value";
import type { View } from "../lib/view";
import { processName } from "./timeline";

const kFew = 7; // processes that have colours of their own

interface Map {
  name: string;
  says: string;
  cells: number[][]; // from, to (s), first, last byte, process, read, written, accesses
}

function mapOf(one: Doc): Map {
  const tick = (num(one, "time_bin_ns") ?? 1) / 1e9;
  const step = num(one, "offset_bin_bytes") ?? 1;
  const begin = (num(one, "begin_ns") ?? 0) / 1e9;
  const [time, offset, process] = [numbers(one, "time"), numbers(one, "offset"), numbers(one, "process")];
  const [accesses, read, written] = [numbers(one, "cell_accesses"), numbers(one, "read_bytes"), numbers(one, "written_bytes")];
  const cells = time.map((t, i) => [begin + t * tick, begin + (t + 1) * tick, (offset[i] ?? 0) * step, ((offset[i] ?? 0) + 1) * step,
    process[i] ?? 0, read[i] ?? 0, written[i] ?? 0, accesses[i] ?? 0]);
  return {
    name: text(one, "name") ?? "?",
    says: `${many(num(one, "writers") ?? 0, "process writes", "processes write")}, ${many(num(one, "readers") ?? 0, "reads", "read")} it, in ${many(num(one, "accesses") ?? 0, "access", "accesses")}`,
    cells,
  };
}

class AccessMap {
  private at = 0;
  private byProcess = true;
  private chart: EChartsType | null = null;
  private colours: Colours | null = null;
  private readonly kept = new Cells();

  constructor(readonly maps: Map[], private readonly processes: Doc[]) {}

  private get map(): Map {
    return this.maps[this.at] ?? { name: "", says: "", cells: [] };
  }

  private colour(cell: number[], c: Colours, order: number[]): string {
    const [, , , , process = 0, read = 0, written = 0] = cell;
    if (!this.byProcess) return (written >= read ? c.series[1] : c.series[0]) ?? c.ink;
    const place = order.indexOf(process);
    if (order.length <= kFew) return c.series[place] ?? c.ink;
    return `hsl(${Math.round(250 - 230 * place / order.length)} 62% ${c.dark ? 62 : 45}%)`;
  }

  option(c: Colours): Option {
    this.colours = c;
    const order = [...new Set(this.map.cells.map((cell) => cell[4] ?? 0))].sort((a, b) => a - b);
    const end = greatest([1, ...this.map.cells.map((cell) => cell[3] ?? 0)]);
    const all = [this.map.cells[0]?.[0] ?? 0, greatest(this.map.cells.map((cell) => cell[1] ?? 0)), 0, end]; // they come by time
    const named = !this.byProcess ? [["read", c.series[0]], ["written", c.series[1]]]
      : order.length <= kFew ? order.map((process, i) => [processName(this.processes[process]), c.series[i]]) : [];
    const made = chart(c, { name: "seconds since the first call", format: (x) => seconds(x), min: "dataMin", max: "dataMax" }, { name: "offset in the file", format: (y) => bytes(y), min: 0, max: end, interval: byteInterval(end) }, [
      ...named.map(([name, color]) => ({ type: "custom", name, itemStyle: { color }, data: [], renderItem: () => null })),
      cellSeries(all, { x: [0, 1], y: [2, 3] }, (context, api) => this.paint(context, api, c, order)),
    ], { tooltip: tooltip(c, { formatter: () => this.told() }),
      dataZoom: [{ type: "inside", filterMode: "none", zoomOnMouseWheel: "ctrl" }] });
    made.legend = { top: 2, left: 0, type: "scroll", itemWidth: 14, itemHeight: 10, textStyle: { color: c.ink }, selectedMode: false, data: named.map(([name]) => name) };
    made.grid = { left: 8, right: 20, top: named.length > 0 ? 62 : 32, bottom: 28, containLabel: true };
    return made;
  }

  private paint(context: CanvasRenderingContext2D, api: Api, c: Colours, order: number[]): void {
    const [left = 0, bottom = 0] = api.coord([0, 0]);
    const [right = 0, top = 0] = api.coord([1, 1]);
    for (const cell of this.map.cells) {
      const [from = 0, to = 0, first = 0, last = 0] = cell;
      // On whole pixels: cells side by side have no seam.
      const [x, y] = [Math.floor(left + from * (right - left)), Math.floor(bottom + last * (top - bottom))];
      context.fillStyle = this.colour(cell, c, order);
      context.fillRect(x, y, Math.max(2, Math.floor(left + to * (right - left)) - x), Math.max(2, Math.floor(bottom + first * (top - bottom)) - y));
    }
  }

  private told(): HTMLElement | string {
    const [x, y] = this.kept.pointed();
    const cell = this.map.cells.find(([from = 0, to = 0, first = 0, last = 0]) => from <= x && x < to && first <= y && y < last);
    if (cell === undefined) return "";
    const [from = 0, , first = 0, last = 0, process = 0, read = 0, written = 0, accesses = 0] = cell;
    return tip(processName(this.processes[process]), [["at", seconds(from)], ["bytes", `${bytes(first)} to ${bytes(last)}`],
      ["read", bytes(read)], ["written", bytes(written)], ["accesses", count(accesses)]]);
  }

  ready(made: EChartsType): void {
    this.chart = made;
    this.kept.follow(made, () => this.map.cells);
  }

  private redraw(): void {
    if (this.chart !== null && this.colours !== null) this.chart.setOption(this.option(this.colours), { notMerge: true });
  }

  controls(): HTMLElement[] {
    return [
      choice("File", this.maps.map((map) => shortName(map.name)), (index) => {
        this.at = index;
        this.redraw();
      }),
      choice("Colour", ["by process", "reads and writes"], (index) => {
        this.byProcess = index === 0;
        this.redraw();
      }),
    ];
  }

  numbers() {
    return {
      columns: ["file", "from_s", "to_s", "first_byte", "behind_last_byte", "process", "read_bytes", "written_bytes", "accesses"],
      rows: this.maps.flatMap((map) => map.cells.map((cell) => [map.name, ...cell.slice(0, 4), processName(this.processes[cell[4] ?? -1]), ...cell.slice(5)])),
    };
  }
}

export function accessMapView(document: Doc): View | null {
  const maps = docs(document, "access_maps").map(mapOf).filter((map) => map.cells.length > 0);
  if (maps.length === 0) return null;
  const view = new AccessMap(maps, docs(document, "stat", "process_list"));
  return {
    title: "Which bytes of a file, when and by whom",
    says: `The ${maps.length === 1 ? "file" : `${count(maps.length)} files`} with most bytes moved; of ${shortName(maps[0]?.name ?? "", 60)}: ${maps[0]?.says ?? ""}. `
      + "Diagonals are sequential access, blocks side by side are parallel access, scattered marks cost the file system most. Of many processes the first are violet, the last red.",
    wide: true,
    controls: view.controls(),
    numbers: () => view.numbers(),
    chart: { canvas: true, height: 400, option: (c) => view.option(c), ready: (made) => view.ready(made) },
  };
}
