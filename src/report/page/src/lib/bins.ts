// The timeline's cells and their sums over any stretch of time: what is drawn has as many columns as the window can
// show, however many calls there were.
import { docs, numbers, num } from "./value";
import type { Doc } from "./value";

export const kinds = ["read", "write", "metadata", "communication", "other"] as const;

interface Cells {
  bin: number[];
  calls: number[];
  time: number[];
  bytes: number[];
}

export interface Row {
  processes: number[];
  cells: Cells[]; // by kind
}

export interface Bins {
  begin: number; // nanoseconds
  width: number;
  count: number;
  rows: Row[];
}

export interface Column {
  from: number; // bins
  to: number;
  row: number;
  kind: number; // that took most time, most calls where there is none
  time: number; // of the chosen kinds
  calls: number;
  bytes: number;
}

export function binsOf(timeline: Doc): Bins {
  const rows = docs(timeline, "rows").map((row) => ({
    processes: numbers(row, "processes"),
    cells: kinds.map((kind) => ({
      bin: numbers(row, "kinds", kind, "bin"), calls: numbers(row, "kinds", kind, "calls"),
      time: numbers(row, "kinds", kind, "time_ns"), bytes: numbers(row, "kinds", kind, "bytes"),
    })),
  }));
  return { begin: num(timeline, "begin_ns") ?? 0, width: num(timeline, "bin_ns") ?? 1, count: num(timeline, "bins") ?? 0, rows };
}

function firstAtOrAfter(sorted: number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Bins `from` to `to` in at most so many columns; `only` chooses a kind.
export function columns(bins: Bins, from: number, to: number, most: number, only: number | null): Column[] {
  const step = Math.max(1, Math.ceil((to - from) / most));
  const first = Math.floor(from / step) * step;
  const count = Math.ceil((to - first) / step);
  const made: Column[] = [];
  const time = new Float64Array(count * kinds.length);
  const calls = new Float64Array(count * kinds.length);
  const bytes = new Float64Array(count * kinds.length);
  bins.rows.forEach((row, index) => {
    time.fill(0);
    calls.fill(0);
    bytes.fill(0);
    row.cells.forEach((cells, kind) => {
      if (only !== null && only !== kind) return;
      for (let i = firstAtOrAfter(cells.bin, first); i < cells.bin.length && (cells.bin[i] ?? 0) < to; ++i) {
        const place = Math.floor(((cells.bin[i] ?? 0) - first) / step) * kinds.length + kind;
        time[place] = (time[place] ?? 0) + (cells.time[i] ?? 0);
        calls[place] = (calls[place] ?? 0) + (cells.calls[i] ?? 0);
        bytes[place] = (bytes[place] ?? 0) + (cells.bytes[i] ?? 0);
      }
    });
    for (let c = 0; c < count; ++c) {
      const sum: Column = { from: first + c * step, to: Math.min(first + (c + 1) * step, bins.count), row: index, kind: -1, time: 0, calls: 0, bytes: 0 };
      for (let k = 0; k < kinds.length; ++k) {
        const at = c * kinds.length + k;
        const best = sum.kind < 0 ? -1 : c * kinds.length + sum.kind;
        sum.time += time[at] ?? 0;
        sum.calls += calls[at] ?? 0;
        sum.bytes += bytes[at] ?? 0;
        const something = (time[at] ?? 0) > 0 || (calls[at] ?? 0) > 0;
        if (something && (best < 0 || (time[at] ?? 0) > (time[best] ?? 0) || ((time[at] ?? 0) === (time[best] ?? 0) && (calls[at] ?? 0) > (calls[best] ?? 0)))) sum.kind = k;
      }
      if (sum.kind >= 0) made.push(sum);
    }
  });
  return made;
}
