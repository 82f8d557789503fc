// weir.trace-view/1, which weir report makes of a trace, and weir.stat/1.
import { choice, facts, notice } from "../lib/dom";
import { bytes, count, many, nanoseconds, percent, plain, shortName, whenNs } from "../lib/format";
import { byteInterval, chart, heat, tip, tooltip } from "../lib/option";
import type { EChartsType } from "../lib/echarts";
import type { Colours } from "../lib/colours";
import type { Cell } from "../lib/csv";
import { at, doc, docs, isDoc, list, num, text, texts } from "../lib/value";
import type { Doc } from "../lib/value";
import { tableView, views } from "../lib/view";
import type { View } from "../lib/view";
import { accessMapView } from "./access_map";
import { processName, timelineView } from "./timeline";

const kShownFunctions = 20;

const measures: [string, string, (value: number) => string][] = [
  ["time", "time_ns", (value) => nanoseconds(value)],
  ["calls", "calls", (value) => count(value)],
  ["bytes read and written", "bytes", (value) => bytes(value)],
];

// A function's time without what recorded calls inside it took.
function measure(one: Doc, which: string): number {
  if (which === "bytes") return (num(one, "read_bytes") ?? 0) + (num(one, "written_bytes") ?? 0);
  if (which === "time_ns") return Math.max(0, (num(one, "time_ns") ?? 0) - (num(one, "inside_ns") ?? 0));
  return num(one, which) ?? 0;
}

function functionsView(stat: Doc): View | null {
  const functions = docs(stat, "functions");
  if (functions.length === 0) return null;
  const layers = [...new Set(functions.map((one) => text(one, "layer") ?? "?"))];
  let which = num(stat, "time_ns") === null ? 1 : 0;
  let made: EChartsType | null = null;
  let used: Colours | null = null;
  const option = (c: Colours) => {
    used = c;
    const [label = "", field = "", format = String] = measures[which] ?? [];
    const top = functions.filter((one) => measure(one, field) > 0).sort((a, b) => measure(b, field) - measure(a, field)).slice(0, kShownFunctions);
    return chart(c, { name: field === "time_ns" ? "time in it alone" : label, format, min: 0, interval: field === "bytes" ? byteInterval(measure(top[0] ?? {}, field)) : undefined },
      { name: "", words: top.map((one) => text(one, "name") ?? "?"), inverse: true },
      layers.map((layer, i) => ({ type: "bar", name: layer, stack: "all", barMaxWidth: 18, itemStyle: { color: c.series[i % c.series.length] },
        data: top.map((one) => (text(one, "layer") === layer ? measure(one, field) : null)) })),
      { tooltip: tooltip(c, { formatter: (item: { dataIndex: number }) => {
        const one = top[item.dataIndex] ?? {};
        return tip(text(one, "name") ?? "?", [["layer", text(one, "layer") ?? "?"], ["calls", count(num(one, "calls"))], ["failed", count(num(one, "failed"))],
          ["time", nanoseconds(num(one, "time_ns"))], ["read", bytes(num(one, "read_bytes"))], ["written", bytes(num(one, "written_bytes"))]]);
      } }) });
  };
  const most = [...functions].sort((a, b) => measure(b, "time_ns") - measure(a, "time_ns"))[0];
  const all = functions.reduce((sum, one) => sum + measure(one, "time_ns"), 0);
  const failed = num(stat, "failed") ?? 0;
  return {
    title: "Calls and bytes per function",
    says: (all > 0 ? `Most time goes to ${text(most, "name") ?? "?"}: ${percent(measure(most ?? {}, "time_ns") / all)} of all recorded time. ` : "")
      + `${many(functions.length, "function")} were called ${count(num(stat, "calls"))} times${failed > 0 ? `, ${count(failed)} of them in vain` : ""}; colours are the layers of the software.`,
    controls: [choice("By", measures.map((one) => one[0]), (index) => {
      which = index;
      if (made !== null && used !== null) made.setOption(option(used), { notMerge: true });
    })],
    numbers: () => ({
      columns: ["function", "layer", "calls", "failed", "read_bytes", "written_bytes", "time_ns", "inside_ns", "shortest_ns", "longest_ns", "signatures"],
      rows: functions.map((one) => [text(one, "name"), text(one, "layer"), ...["calls", "failed", "read_bytes", "written_bytes", "time_ns", "inside_ns", "shortest_ns", "longest_ns", "signatures"].map((field) => num(one, field))]),
    }),
    chart: { height: Math.max(240, 90 + 22 * Math.min(kShownFunctions, functions.length)), option, ready: (chartMade) => { made = chartMade; } },
  };
}

function layersView(stat: Doc): View | null {
  const layers = Object.entries(doc(stat, "layers")).filter((entry): entry is [string, Doc] => isDoc(entry[1]));
  if (layers.length === 0) return null;
  const fields = ["calls", "failed", "read_bytes", "written_bytes", "time_ns", "inside_ns"];
  return tableView("Layers", "What each layer of the software was asked for. “inside” is time it spent in recorded calls of the layers below.",
    { columns: ["layer", "calls", "failed", "read", "written", "time", "inside"],
      rows: layers.map(([name, one]) => [name, count(num(one, "calls")), count(num(one, "failed")), bytes(num(one, "read_bytes")), bytes(num(one, "written_bytes")), nanoseconds(num(one, "time_ns")), nanoseconds(num(one, "inside_ns"))]) },
    { columns: ["layer", ...fields], rows: layers.map(([name, one]) => [name, ...fields.map((field) => num(one, field))]) });
}

function filesView(stat: Doc): View | null {
  const files = docs(stat, "files_by_bytes");
  if (files.length === 0) return null;
  const fields = ["calls", "failed", "read_bytes", "written_bytes", "time_ns"];
  const moved = (num(stat, "read_bytes") ?? 0) + (num(stat, "written_bytes") ?? 0);
  const first = files[0] ?? {};
  return tableView("Files with most bytes",
    `${count(num(stat, "files"))} files were touched; ${shortName(text(first, "name") ?? "?")} has ${percent(moved > 0 ? measure(first, "bytes") / moved : null)} of the bytes.`,
    { columns: ["file", "calls", "read", "written", "time"], rows: files.map((one) => [shortName(text(one, "name") ?? "?", 70), count(num(one, "calls")), bytes(num(one, "read_bytes")), bytes(num(one, "written_bytes")), nanoseconds(num(one, "time_ns"))]) },
    { columns: ["file", ...fields], rows: files.map((one) => [text(one, "name"), ...fields.map((field) => num(one, field))]) }, true);
}

function communicationView(document: Doc, stat: Doc): View | null {
  const where = isDoc(document.communication) ? document.communication : doc(stat, "communication");
  const channels = docs(where, "channels");
  if (channels.length === 0) return null;
  const processes = docs(stat, "process_list");
  const ranks = channels.flatMap((one) => [num(one, "from_process") ?? num(one, "from") ?? 0, num(one, "to_process") ?? num(one, "to") ?? 0]);
  const last = Math.max(...ranks);
  const step = Math.max(1, Math.ceil((last + 1) / 64)); // more ranks share cells
  const size = Math.floor(last / step) + 1;
  const sums = new Float64Array(size * size);
  let total = 0;
  for (const one of channels) {
    const from = Math.floor((num(one, "from_process") ?? num(one, "from") ?? 0) / step);
    const to = Math.floor((num(one, "to_process") ?? num(one, "to") ?? 0) / step);
    const moved = num(one, "bytes") ?? 0;
    sums[from * size + to] = (sums[from * size + to] ?? 0) + moved;
    total += moved;
  }
  const cells: [number, number, number][] = [];
  sums.forEach((value, i) => { if (value > 0) cells.push([i % size, Math.floor(i / size), value]); });
  const words = Array.from({ length: size }, (_, i) => (step === 1 ? processName(processes[i]).replace("rank ", "") : `${i * step}–${Math.min(last, (i + 1) * step - 1)}`));
  const near = channels.filter((one) => Math.abs((num(one, "from") ?? 0) - (num(one, "to") ?? 0)) === 1).reduce((sum, one) => sum + (num(one, "bytes") ?? 0), 0);
  const unsized = num(where, "messages_of_unknown_size") ?? 0;
  return {
    title: "Who sends to whom",
    says: `${bytes(total)} in messages between ranks, ${percent(total > 0 ? near / total : 0)} of it between neighbours. A few strong cells far from the diagonal are ranks worth placing on one node.`
      + (unsized > 0 ? ` ${count(unsized)} messages have a size that the trace does not tell.` : ""),
    numbers: () => ({ columns: ["from", "to", "messages", "bytes"], rows: channels.map((one): Cell[] => ["from", "to", "messages", "bytes"].map((field) => num(one, field))) }),
    chart: { canvas: true, height: 420, option: (c) => heat(c, { name: "receiver", words }, { name: "sender", words, inverse: true }, cells, (value) => bytes(value), null, size <= 12) },
  };
}

function compressionView(stat: Doc): View | null {
  const records = num(stat, "records") ?? 0;
  const size = num(stat, "trace_bytes");
  if (size === null || records === 0) return null;
  const sections = Object.entries(doc(stat, "section_bytes")).filter((one): one is [string, number] => typeof one[1] === "number").sort((a, b) => b[1] - a[1]);
  const timing = num(stat, "timing_bytes") ?? 0;
  const words: Record<string, string> = { BLOK: "arguments that vary", TIME: "times", PROC: "processes", COMM: "communicators", SIGN: "signatures", GRAM: "grammars", CLAS: "classes",
    NAME: "file names", TEXT: "texts", FUNC: "functions", FACT: "facts of the run", STAT: "states of handles" };
  return {
    title: "What the trace costs",
    says: `${count(records)} calls in ${bytes(size)}: ${plain(size / records, 3)} bytes for each, ${plain((size - timing) / records, 3)} without times. `
      + `${count(num(stat, "signatures"))} distinct calls in ${many(num(stat, "grammars") ?? 0, "sequence")} say it all: the fewer, the more regular the program.`,
    numbers: () => ({ columns: ["section", "bytes"], rows: sections }),
    chart: { height: 300, option: (c) => chart(c, { name: "bytes", format: (x) => bytes(x), min: 0, interval: byteInterval(sections[0]?.[1] ?? 1) }, { name: "", words: sections.map(([name]) => words[name] ?? name), inverse: true },
      [{ type: "bar", barMaxWidth: 16, data: sections.map((one) => one[1]), itemStyle: { color: c.series[2] } }],
      { tooltip: tooltip(c, { formatter: (item: { dataIndex: number }) => tip(words[sections[item.dataIndex]?.[0] ?? ""] ?? "", [["bytes", bytes(sections[item.dataIndex]?.[1] ?? 0)]]) }) }) },
  };
}

function processesView(stat: Doc): View | null {
  const processes = docs(stat, "process_list");
  if (processes.length < 2) return null;
  const fields = ["calls", "failed", "read_bytes", "written_bytes", "time_ns"];
  const times = processes.map((one) => num(one, "time_ns") ?? 0);
  const mean = times.reduce((a, b) => a + b, 0) / times.length;
  return tableView("Processes", `The busiest process spends ${plain(mean > 0 ? Math.max(...times) / mean : 1, 3)} times the mean in its calls; far above 1, others wait for it.`,
    { columns: ["process", "host", "calls", "read", "written", "time"], rows: processes.map((one) => [processName(one), text(one, "host"), count(num(one, "calls")), bytes(num(one, "read_bytes")), bytes(num(one, "written_bytes")), nanoseconds(num(one, "time_ns"))]) },
    { columns: ["process", "pid", "host", "program", ...fields], rows: processes.map((one) => [processName(one), num(one, "pid"), text(one, "host"), text(one, "program"), ...fields.map((field) => num(one, field))]) });
}

export function tracePart(document: Doc, source: string): HTMLElement[] {
  const stat = isDoc(document.stat) ? document.stat : document;
  const calls = num(stat, "calls") ?? 0;
  const command = list(at(stat, "facts", "command")).map(String).join(" ");
  const hosts = [...new Set(docs(stat, "process_list").map((one) => text(one, "host") ?? ""))].filter((one) => one !== "");
  const origin = num(stat, "facts", "origin_wall_ns");
  const made: HTMLElement[] = [facts([
    ["program", command], ["calls", count(calls)], ["processes", count(num(stat, "processes"))], ["span", nanoseconds(num(stat, "span_ns"))],
    ["read", bytes(num(stat, "read_bytes"))], ["written", bytes(num(stat, "written_bytes"))], ["timing", text(stat, "timing")],
    ["host", hosts.length > 4 ? `${hosts.length} hosts` : hosts.join(", ")], ["date", whenNs(origin)],
    ["recorded by", text(stat, "facts", "weir") === null ? null : `weir ${text(stat, "facts", "weir") ?? ""}`],
    ["exit status", num(stat, "facts", "status") === null ? null : String(num(stat, "facts", "status"))],
  ])];
  for (const warning of texts(stat, "warnings")) made.push(notice(warning));
  for (const problem of docs(document, "problems")) made.push(notice(`${(text(problem, "part") ?? "?").replace("_", " ")}: ${text(problem, "reason") ?? "?"}`, "problem"));
  if (calls === 0) {
    made.push(notice("The trace is empty: not one call was recorded. Is the program linked statically, or did it end before its first call?", "problem"));
    return made;
  }
  if (text(stat, "timing") === "off") made.push(notice("The trace has no times (--timing off): there is no timeline, and functions are compared by calls."));
  return [...made, views(source, [
    ["Timeline", () => timelineView(document)], ["Access map", () => accessMapView(document)], ["Functions", () => functionsView(stat)],
    ["Who sends to whom", () => communicationView(document, stat)], ["What the trace costs", () => compressionView(stat)], ["Layers", () => layersView(stat)],
    ["Processes", () => processesView(stat)], ["Files", () => filesView(stat)],
  ])];
}
