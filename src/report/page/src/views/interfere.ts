// weir.interfere-*/1: who slows whom down.
import { facts, notice } from "../lib/dom";
import { bytes, count, greatest, many, percent, plain, seconds } from "../lib/format";
import { axis, axisTip, byteInterval, chart, heat, line, tip, tooltip } from "../lib/option";
import { doc, docs, flag, num, numbers, text, texts } from "../lib/value";
import type { Doc } from "../lib/value";
import { tableView, views } from "../lib/view";
import type { Maker, View } from "../lib/view";

const fields = ["probe", "signal", "layout"];
const values = ["chunk_bytes", "signal_chunk_bytes", "processes", "signal_processes", "signal_duty", "degradation_percent", "low", "high", "best_of_five_percent", "whole_degradation_percent", "dilation_percent",
  "file_close_degradation_percent", "bytes_per_second", "counted_s", "cached_bytes", "runs", "serialised_runs", "disturbed", "failed"];

const aloneFields = ["chunk_bytes", "processes", "runs", "bytes_per_second", "variation_percent", "counted_s", "bytes", "cached_bytes"];

function cellNumbers(cells: Doc[]) {
  const there = values.filter((field) => cells.some((cell) => num(cell, field) !== null));
  const named = fields.filter((field) => cells.some((cell) => text(cell, field) !== null));
  return { columns: [...named, ...there], rows: cells.map((cell) => [...named.map((field) => text(cell, field)), ...there.map((field) => num(cell, field))]) };
}

function matrixView(cells: Doc[], chunk: number | null): View | null {
  const probes = [...new Set(cells.map((cell) => text(cell, "probe") ?? "?"))];
  const signals = [...new Set(cells.map((cell) => text(cell, "signal") ?? "?"))];
  const marks = cells.flatMap((cell): [number, number, number][] => {
    const value = num(cell, "degradation_percent");
    return value === null ? [] : [[signals.indexOf(text(cell, "signal") ?? "?"), probes.indexOf(text(cell, "probe") ?? "?"), value]];
  });
  if (marks.length === 0) return null;
  const worst = cells.reduce((a, b) => ((num(b, "degradation_percent") ?? -Infinity) > (num(a, "degradation_percent") ?? -Infinity) ? b : a));
  const low = num(worst, "low");
  const stopped = cells.filter((cell) => flag(cell, "serialises") === true).map((cell) => `${text(cell, "probe") ?? "?"} beside ${text(cell, "signal") ?? "?"}`);
  return {
    title: chunk === null ? "Degradation" : `Degradation, chunks of ${bytes(chunk)}`,
    says: `How much slower a program (row) writes while another (column) does. ${text(worst, "probe") ?? "?"} loses most, ${plain(num(worst, "degradation_percent"), 3)} % beside ${text(worst, "signal") ?? "?"}`
      + (low === null ? "; there are too few runs for an interval." : low > 0 ? `, at least ${plain(low, 3)} %: keep these two apart.` : ", which may be noise: its interval holds 0.")
      + (stopped.length > 0 ? ` One almost stops while the other runs as if alone: ${stopped.join(", ")}.` : ""),
    numbers: () => cellNumbers(cells),
    chart: { height: Math.max(260, 140 + 44 * probes.length), option: (c) => heat(c, { name: "signal", words: signals }, { name: "probe", words: probes, inverse: true }, marks, (value) => `${plain(value, 3)} %`, 0) },
  };
}

// What a sweep may vary, the first that a pair varies on the axis: field, what the axis says, what a line's name says.
interface Swept {
  field: string;
  axis: string;
  name: string;
  format: (value: number) => string;
}
const swept: Swept[] = [
  { field: "chunk_bytes", axis: "bytes of a chunk", name: "chunk", format: (x) => bytes(x) },
  { field: "signal_chunk_bytes", axis: "bytes of the signal's chunk", name: "signal's chunk", format: (x) => bytes(x) },
  { field: "signal_processes", axis: "processes of the signal", name: "signal's processes", format: (x) => count(x) },
  { field: "processes", axis: "processes", name: "processes", format: (x) => count(x) },
  { field: "signal_duty", axis: "share of time the signal writes", name: "duty", format: (x) => percent(x, 0) },
  { field: "layout", axis: "layout of the files", name: "layout", format: (x) => String(x) },
];

interface SweptLine {
  over: Swept;
  name: string;
  cells: Doc[];
}

function grouped(cells: Doc[], key: (cell: Doc) => string): Map<string, Doc[]> {
  const made = new Map<string, Doc[]>();
  for (const cell of cells) made.set(key(cell), [...(made.get(key(cell)) ?? []), cell]);
  return made;
}

function level(cell: Doc, { field, format }: Swept): string {
  const value = num(cell, field);
  return value === null ? text(cell, field) ?? "–" : format(value);
}

// Each pair has what it varies itself: in the other direction of 4:1, 4:2 and 4:4 it is the probe's processes that vary.
function sweptLines(cells: Doc[]): SweptLine[] {
  return [...grouped(cells, (cell) => `${text(cell, "probe") ?? "?"} beside ${text(cell, "signal") ?? "?"}`)].flatMap(([pair, of]) => {
    const varies = (one: Swept, among: Doc[]) => new Set(among.map((cell) => level(cell, one))).size > 1;
    const over = swept.find((one) => varies(one, of));
    if (over === undefined) return [];
    // What still varies at one place of the axis makes lines of its own; what goes along with the axis does not.
    const places = [...grouped(of, (cell) => level(cell, over)).values()];
    const others = swept.filter((one) => one !== over && places.some((place) => varies(one, place)));
    return [...grouped(of, (cell) => [pair, ...others.map((one) => `${one.name} ${level(cell, one)}`)].join(", "))].map(([name, line]) => ({ over, name, cells: line }));
  });
}

function sweepView(over: Swept, lines: SweptLine[]): View {
  const { field, axis: name, format } = over;
  const cells = lines.flatMap((one) => one.cells);
  const words = field === "layout" ? [...new Set(cells.map((cell) => level(cell, over)))] : undefined;
  const x = (cell: Doc) => (words === undefined ? num(cell, field) : words.indexOf(level(cell, over)));
  const log = field.endsWith("bytes") || field.endsWith("processes");
  return {
    title: `Sweep over ${name}`,
    says: `Degradation against ${name}, with intervals (dotted). Where a line leaves 0, interference begins; where it turns flat, it does not get worse.`,
    numbers: () => cellNumbers(cells),
    wide: lines.length > 3,
    chart: { height: 360, option: (c) => chart(c, { name, log, base: 2, format, words }, { name: "degradation, %" }, lines.flatMap((one, i) => {
      const color = c.series[i % c.series.length];
      const sorted = one.cells.filter((cell) => x(cell) !== null).sort((a, b) => (x(a) ?? 0) - (x(b) ?? 0));
      const points = (what: string) => sorted.map((cell) => [x(cell), num(cell, what)]);
      const bound = { silent: true, lineStyle: { width: 1, type: "dotted", color }, itemStyle: { color } };
      return [line(one.name, points("degradation_percent"), { showSymbol: true, lineStyle: { width: 2, color }, itemStyle: { color } }), line("", points("low"), bound), line("", points("high"), bound)];
    }), { tooltip: axisTip(c, (at) => (words === undefined ? format(Number(at)) : String(at)), (y) => `${plain(y, 3)} %`) }) },
  };
}

export function matrixPart(document: Doc, source: string): HTMLElement[] {
  const cells = docs(document, "cells");
  const made: HTMLElement[] = [facts([["store", text(document, "store")], ["testbed", text(document, "testbed")],
    ["runs set aside", num(document, "disturbed_runs") === null ? null : count(num(document, "disturbed_runs"))], ["failed runs", num(document, "failed_runs") === null ? null : count(num(document, "failed_runs"))]])];
  for (const warning of texts(document, "warnings")) made.push(notice(warning));
  if (cells.length === 0) return [...made, notice("The result holds no pairs: nothing was measured.", "problem")];
  const chunks = [...new Set(cells.map((cell) => num(cell, "chunk_bytes")))];
  const sweeping = cells.some((cell, i) => cells.some((other, j) => j > i && text(cell, "probe") === text(other, "probe") && text(cell, "signal") === text(other, "signal")));
  const lines = sweptLines(cells);
  const makers: Maker[] = swept.map((over): [Swept, SweptLine[]] => [over, lines.filter((one) => one.over === over)]).filter(([, of]) => of.length > 0)
    .map(([over, of]): Maker => ["Sweep", () => sweepView(over, of)]);
  const square = new Set(cells.map((cell) => text(cell, "signal"))).size > 1;
  for (const chunk of square || !sweeping ? chunks.slice(0, 6) : []) {
    const of = cells.filter((cell) => num(cell, "chunk_bytes") === chunk);
    const single = of.every((cell, i) => !of.some((other, j) => j > i && text(cell, "probe") === text(other, "probe") && text(cell, "signal") === text(other, "signal")));
    if (single) makers.push(["Degradation", () => matrixView(of, chunk)]);
  }
  const alone = docs(document, "alone");
  if (alone.length > 0) makers.push(["Alone", () => tableView("Alone", "What each program writes with nobody beside it: what every percentage is of. What was still cached at its end has not been measured on the storage.",
    { columns: ["probe", "layout", "chunk", "processes", "runs", "speed", "variation", "still cached"], rows: alone.map((one) => [text(one, "probe"), text(one, "layout"), bytes(num(one, "chunk_bytes")), num(one, "processes"), num(one, "runs"), `${bytes(num(one, "bytes_per_second"))}/s`, `${plain(num(one, "variation_percent"), 3)} %`, bytes(num(one, "cached_bytes"))]) },
    { columns: ["probe", "layout", ...aloneFields], rows: alone.map((one) => [text(one, "probe"), text(one, "layout"), ...aloneFields.map((field) => num(one, field))]) })]);
  makers.push(["Pairs", () => tableView("All pairs", "Degradation of the medians with its interval, and of the best of five runs as others report it.", cellNumbers(cells), undefined, true)]);
  return [...made, views(source, makers)];
}

interface Slices {
  begin: number[]; // ns
  series: { name: string; values: number[]; storage: boolean }[];
}

// A program's slices, or those of a join of program, others and storage.
function slicesOf(document: Doc): Slices {
  const joined = numbers(document, "begin_ns");
  if (joined.length > 0)
    return { begin: joined, series: [["probe", false], ["signal", false], ["storage_bytes", true]].map(([field, storage]) => ({ name: String(field).replace("_bytes", ""), values: numbers(document, String(field)), storage: storage === true })).filter((one) => one.values.some((value) => Number.isFinite(value))) };
  const program = doc(document, "program");
  const kinds = ["read", "write"].filter((kind) => numbers(program, kind, "bytes").some((value) => value > 0));
  const series = kinds.map((kind) => ({ name: `${text(program, "name") ?? "program"}: ${kind}`, values: numbers(program, kind, "bytes"), storage: false }));
  return { begin: numbers(program, "begin_ns"), series };
}

function slicesView(document: Doc): View | null {
  const { begin, series } = slicesOf(document);
  if (begin.length === 0 || series.length === 0) return null;
  const start = begin[0] ?? 0;
  const degradation = num(document, "degradation_percent");
  const dents = docs(document, "dents");
  // Files that are closed, where writes are not seen: the storage's bytes have an axis of their own then.
  const files = text(document, "metric") === "closes";
  const told = (storage: boolean) => (value: number) => (files && !storage ? count(value) : bytes(value));
  const scale = (storage: boolean) => ({ name: files && !storage ? "files closed in a slice" : files ? "bytes of the storage" : "bytes in a slice", min: 0, format: told(storage),
    interval: files && !storage ? undefined : byteInterval(greatest(series.filter((one) => !files || one.storage).flatMap((one) => one.values))) });
  return {
    title: "Time slices of programs and storage",
    says: degradation === null ? "Bytes in each slice of time. Gaps that come together with another's bursts are interference."
      : `${files ? "Files closed" : "Bytes"} in each slice of time, on one clock: the probe loses ${plain(degradation, 3)} % (${plain(num(document, "low"), 3)} to ${plain(num(document, "high"), 3)}) while the signal is active; ${many(dents.length, "dent")}, ${count(num(document, "dents_in_step"))} of them in step with it${dents.length > 0 ? " (shaded)" : ""}.`,
    wide: true,
    numbers: () => ({ columns: ["begin_ns", ...series.map((one) => one.name)], rows: begin.map((time, i) => [time, ...series.map((one) => one.values[i] ?? null)]) }),
    chart: { height: 340, canvas: true, option: (c) => {
      const made = chart(c, { name: "seconds since the first slice", format: (x) => seconds(x) }, scale(false),
        series.map((one, i) => line(one.name, begin.map((time, k) => [(time - start) / 1e9, one.values[k] ?? null]), { step: "end", yAxisIndex: files && one.storage ? 1 : 0,
          markArea: i > 0 || dents.length === 0 ? undefined : { silent: true, itemStyle: { color: c.bad, opacity: 0.13 }, data: dents.map((dent) => [{ xAxis: ((num(dent, "begin_ns") ?? start) - start) / 1e9 }, { xAxis: ((num(dent, "end_ns") ?? start) - start) / 1e9 }]) }, areaStyle: one.storage ? { opacity: 0.12 } : undefined, lineStyle: { width: one.storage ? 1 : 2 } })),
        { tooltip: axisTip(c, (x) => seconds(Number(x)), (y, name) => told(series.find((one) => one.name === name)?.storage === true)(y)), dataZoom: [{ type: "inside", filterMode: "none", zoomOnMouseWheel: "ctrl" }, { type: "slider", height: 18, bottom: 4, filterMode: "none", textStyle: { color: c.muted }, labelFormatter: (x: number) => seconds(x) }] });
      if (files && series.some((one) => one.storage)) made.yAxis = [axis(scale(false), c, true), { ...axis(scale(true), c, true), splitLine: { show: false }, nameTextStyle: { color: c.muted, fontSize: 12, align: "right" } }];
      made.grid = { left: 8, right: 24, top: 62, bottom: 60, containLabel: true };
      return made;
    } },
  };
}

export function slicesPart(document: Doc, source: string): HTMLElement[] {
  const made = [facts([["directory", text(document, "directory")], ["metric", text(document, "metric")], ["processes", num(document, "program", "processes") === null ? null : count(num(document, "program", "processes"))]]), ...texts(document, "notes").map((note) => notice(note))];
  if (slicesOf(document).begin.length === 0) return [...made, notice("The result holds no slices.", "problem")];
  return [...made, views(source, [["Slices", () => slicesView(document)]])];
}

function loss(value: Doc): string {
  return `${plain(num(value, "degradation_percent"), 3)} % (${plain(num(value, "low"), 3)} to ${plain(num(value, "high"), 3)})`;
}

export function advisePart(document: Doc, source: string): HTMLElement[] {
  const pairs = docs(document, "pairs");
  const best = num(document, "slowdown_together");
  const worst = num(document, "slowdown_worst");
  const slow = pairs.map((one) => num(one, "slowdown") ?? 1);
  return [facts([["store", text(document, "store")]]), ...texts(document, "notes").map((note) => notice(note)), views(source, [
    ["Pairs", () => (pairs.length === 0 ? null : {
      title: "Who may run beside whom",
      says: best === null || worst === null ? "How many times longer the I/O of two programs takes beside each other than alone; best pairs first."
        : `The advised pairs (green) take ${plain(best, 3)} times as long as alone, the worst pairing ${plain(worst, 3)} times.`,
      numbers: () => ({ columns: ["first", "second", "slowdown", "slowdown_low", "slowdown_high", "together"], rows: pairs.map((one) => [text(one, "first"), text(one, "second"), num(one, "slowdown"), num(one, "slowdown_low"), num(one, "slowdown_high"), flag(one, "together")]) }),
      chart: { height: Math.max(220, 90 + 26 * pairs.length), option: (c) => chart(c, { name: "times as long as alone", min: 0 }, { name: "", words: pairs.map((one) => `${text(one, "first") ?? "?"} + ${text(one, "second") ?? "?"}`), inverse: true },
        [{ type: "bar", barMaxWidth: 18, data: pairs.map((one, i) => ({ value: slow[i], itemStyle: { color: flag(one, "together") === true ? c.good : flag(one, "worst") === true ? c.bad : c.series[6] } })) }],
        { tooltip: tooltip(c, { formatter: (item: { dataIndex: number }) => tip(`${text(pairs[item.dataIndex], "first") ?? "?"} + ${text(pairs[item.dataIndex], "second") ?? "?"}`, [["slowdown", plain(slow[item.dataIndex] ?? null, 3)],
          ["first loses", loss(doc(pairs[item.dataIndex], "first_loss"))], ["second loses", loss(doc(pairs[item.dataIndex], "second_loss"))]]) }) }) },
    })],
    ["Programs", () => (docs(document, "programs").length === 0 ? null : tableView("Programs", "What each one is, and what it would lose with all of them at once.", { columns: ["name", "pattern", "chunk", "duty", "all at once"],
      rows: docs(document, "programs").map((one) => [text(one, "name"), text(one, "pattern"), bytes(num(one, "chunk_bytes")), percent(num(one, "duty"), 0), loss(doc(one, "all_at_once"))]) }))],
  ])];
}

export function classifyPart(document: Doc, source: string): HTMLElement[] {
  const of = doc(document, "class");
  const shares = Object.entries(doc(of, "shares")).map(([name, value]) => [name, typeof value === "number" ? value : null] as [string, number | null]);
  return [facts([["trace", text(document, "trace")], ["pattern", text(of, "pattern")], ["chunk", bytes(num(of, "chunk_bytes"))], ["processes", count(num(of, "processes"))], ["files", count(num(of, "files"))], ["written", bytes(num(of, "written_bytes"))], ["duty", percent(num(of, "duty"), 0)]]),
    ...texts(of, "evidence").map((note) => notice(note)),
    views(source, [["Patterns", () => (shares.length === 0 ? null : { title: "Write patterns", says: `How its written bytes divide over the known patterns: it is ${text(of, "pattern") ?? "none"}, and the degradation matrix of that pattern tells what it costs and suffers.`,
      numbers: () => ({ columns: ["pattern", "share"], rows: shares }),
      chart: { height: 220, option: (c) => chart(c, { name: "share of written bytes", min: 0, max: 1, format: (x) => percent(x, 0) }, { name: "", words: shares.map((one) => one[0]), inverse: true }, [{ type: "bar", barMaxWidth: 20, data: shares.map((one) => one[1]), itemStyle: { color: c.series[0] } }]) } })]])];
}
