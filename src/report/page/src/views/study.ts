// weir.study/1: the whole story of one program; the other sections are its documents.
import { el, notice } from "../lib/dom";
import type { Option } from "../lib/echarts";
import { bytes, count, many, plain, seconds } from "../lib/format";
import { byteInterval, chart, rule, tip, tooltip } from "../lib/option";
import { doc, docs, flag, num, text, texts } from "../lib/value";
import type { Doc } from "../lib/value";
import { tableView, views } from "../lib/view";
import type { View } from "../lib/view";

const kOwn = "own";

// "own directory", "burst buffer, session".
function place(where: string | null): string {
  return where === null || where === kOwn ? "own directory" : `burst buffer, ${where}`;
}

function factor(gain: Doc): string {
  const value = num(gain, "factor");
  return value === null ? "–" : value >= 1 ? `${plain(value, 3)} times shorter` : `${plain(1 / value, 3)} times longer`;
}

// Medians that lie close together would write over each other at their lines: the legend has them.
function withMedians(medians: Map<string, number | null>, option: Option): Option {
  const legend = option.legend as Option | undefined;
  const label = (name: string): string => {
    const median = medians.get(name) ?? null;
    return median === null ? name : `${name}: ${seconds(median)}`;
  };
  return { ...option, legend: legend === undefined ? undefined : { ...legend, formatter: label } };
}

function runsView(document: Doc, field: "io_s" | "run_s"): View | null {
  const runs = docs(document, "runs").filter((one) => num(one, field) !== null);
  if (runs.length === 0) return null;
  const samples = docs(document, "samples");
  const of = field === "io_s" ? "io" : "run";
  const gain = doc(document, "gain", of);
  const [low, high] = [num(gain, "low"), num(gain, "high")];
  const sure = low !== null && high !== null && (low > 1 || high < 1);
  const medians = new Map(samples.map((sample) => [place(text(sample, "where")), num(sample, of, "median_s")]));
  return {
    title: field === "io_s" ? "I/O time of each run" : "Run time of each run",
    says: `${field === "io_s" ? "What the slowest process waited in calls on files of the directory" : "From start to end of the program"}, in the order in which the runs were made; lines are medians. `
      + `${num(gain, "factor") === null ? "There is nothing to compare." : sure ? `The burst buffer makes it ${factor(gain)}.` : "The two do not differ by more than chance allows."}`,
    numbers: () => ({ columns: ["run", "where", "io_s", "run_s", "start_s", "flush_s", "calls", "read_bytes", "written_bytes"],
      rows: runs.map((one) => [num(one, "number"), text(one, "where"), ...["io_s", "run_s", "start_s", "flush_s", "calls", "read_bytes", "written_bytes"].map((name) => num(one, name))]) }),
    chart: { option: (c) => withMedians(medians, chart(c, { name: "run", min: 0 }, { name: "seconds", min: 0, format: (y) => seconds(y) }, samples.map((sample, i) => {
      const median = num(sample, of, "median_s");
      return { type: "scatter", name: place(text(sample, "where")), symbolSize: 9, symbol: ["circle", "diamond", "triangle", "rect"][i % 4], itemStyle: { color: c.series[i % c.series.length] },
        data: runs.filter((one) => text(one, "where") === text(sample, "where")).map((one) => [num(one, "number"), num(one, field)]),
        markLine: median === null ? undefined : { ...rule(median, seconds(median), c, false), lineStyle: { color: c.series[i % c.series.length], type: "dashed" }, ...(samples.length > 1 ? { label: { show: false } } : {}) } };
    }), { tooltip: tooltip(c, { formatter: (item: { seriesName: string; value: number[] }) => tip(item.seriesName, [["run", count(item.value[0] ?? 0)], ["time", seconds(item.value[1] ?? 0)]]) }) })) },
  };
}

function gainView(document: Doc): View | null {
  const rows = ([["I/O time", "io"], ["run time", "run"], ["with start and flush", "whole"]] as [string, string][])
    .map(([name, field]): [string, Doc] => [name, doc(document, "gain", field)]).filter(([, one]) => num(one, "factor") !== null);
  if (rows.length === 0) return null;
  const whole = num(document, "gain", "whole", "factor");
  return {
    title: "What the burst buffer gains",
    says: `How many times shorter, with a 95 % interval: right of 1 it pays. ${whole !== null && whole < 1 ? "Starting the servers and flushing take more than a run this short can win back." : "Servers that start and the flush at the end are in the last row."}`,
    numbers: () => ({ columns: ["what", "factor", "low", "high", "p_value"], rows: rows.map(([name, one]) => [name, num(one, "factor"), num(one, "low"), num(one, "high"), num(one, "p_value")]) }),
    chart: { height: 220, option: (c) => chart(c, { name: "times shorter", format: (x) => plain(x, 3) }, { name: "", words: rows.map((one) => one[0]), inverse: true }, [
      { type: "scatter", symbolSize: 11, markLine: { ...rule(1, "same", c, true), label: { formatter: "same", color: c.muted, position: "start", fontSize: 11 } }, data: rows.map(([, one], i) => ({ value: [num(one, "factor"), i], itemStyle: { color: (num(one, "low") ?? 1) > 1 ? c.good : (num(one, "high") ?? 1) < 1 ? c.bad : c.series[6] } })),
        label: { show: true, position: "top", color: c.ink, formatter: (item: { value: number[] }) => plain(item.value[0] ?? NaN, 3) } },
      ...rows.map(([, one], i) => ({ type: "line", data: [[num(one, "low"), i], [num(one, "high"), i]], silent: true, showSymbol: false, lineStyle: { width: 3, color: c.muted } })),
    ], { grid: { left: 8, right: 30, top: 32, bottom: 28, containLabel: true }, tooltip: tooltip(c, { formatter: (item: { dataIndex: number }) => {
      const [name, one] = rows[item.dataIndex] ?? ["", {}];
      return tip(name, [["factor", plain(num(one, "factor"))], ["interval", `${plain(num(one, "low"))} to ${plain(num(one, "high"))}`]]);
    } }) }) },
  };
}

function bandwidthView(document: Doc): View | null {
  const rows = docs(document, "samples").flatMap((one): [string, number][] => {
    const value = num(one, "bandwidth_bytes_per_s");
    return value === null ? [] : [[place(text(one, "where")), value]];
  });
  if (rows.length === 0) return null;
  const best = rows.reduce((a, b) => (b[1] > a[1] ? b : a));
  return {
    title: "Bandwidth by model",
    says: `Bytes read and written over the slowest process's I/O time, medians. ${rows.length > 1 ? `Fastest is the ${best[0].replace(", ", " under ")}; what separates models is what they ask of the servers.` : ""}`,
    numbers: () => ({ columns: ["where", "bytes_per_second"], rows }),
    chart: { height: Math.max(200, 90 + 34 * rows.length), option: (c) => chart(c, { name: "bytes per second", min: 0, format: (x) => bytes(x), interval: byteInterval(best[1]) }, { name: "", words: rows.map((one) => one[0]), inverse: true },
      [{ type: "bar", barMaxWidth: 22, data: rows.map((one, i) => ({ value: one[1], itemStyle: { color: c.series[i % c.series.length] } })), label: { show: true, position: "right", color: c.muted, formatter: (item: { value: number }) => `${bytes(item.value)}/s` } }],
      { grid: { left: 8, right: 90, top: 32, bottom: 28, containLabel: true }, tooltip: tooltip(c, { formatter: (item: { name: string; value: number }) => tip(item.name, [["bandwidth", `${bytes(item.value)}/s`]]) }) }) },
  };
}

function shareView(document: Doc): View | null {
  const samples = docs(document, "samples").filter((one) => num(one, "run", "median_s") !== null);
  if (samples.length === 0) return null;
  const median = (one: Doc, field: string) => num(one, field, "median_s") ?? 0;
  const parts: [string, (one: Doc) => number][] = [["servers start", (one) => median(one, "start")], ["I/O", (one) => Math.min(median(one, "io"), median(one, "run"))],
    ["everything else", (one) => Math.max(0, median(one, "run") - median(one, "io"))], ["flush", (one) => median(one, "flush")]];
  const own = samples.find((one) => text(one, "where") === kOwn) ?? samples[0] ?? {};
  const share = median(own, "run") > 0 ? (100 * median(own, "io")) / median(own, "run") : 0;
  return {
    title: "Where the time of a run goes",
    says: `Medians. In its own directory ${plain(share, 3)} % of a run is I/O: no file system can save more than that.`,
    numbers: () => ({ columns: ["where", ...parts.map((one) => one[0])], rows: samples.map((one) => [place(text(one, "where")), ...parts.map(([, of]) => of(one))]) }),
    chart: { height: Math.max(220, 110 + 40 * samples.length), option: (c) => chart(c, { name: "seconds", min: 0, format: (x) => seconds(x) }, { name: "", words: samples.map((one) => place(text(one, "where"))), inverse: true },
      parts.map(([name, of], i) => ({ type: "bar", name, stack: "time", barMaxWidth: 24, itemStyle: { color: [c.series[3], c.series[1], c.series[6], c.series[4]][i] }, data: samples.map(of) })),
      { tooltip: tooltip(c, { formatter: (item: { name: string; seriesName: string; value: number }) => tip(item.name, [[item.seriesName, seconds(item.value)]]) }) }) },
  };
}

function resultsView(document: Doc): View | null {
  const compared = num(document, "results", "runs_compared") ?? 0;
  if (compared === 0) return null;
  const different = num(document, "results", "runs_different") ?? 0;
  const rows = docs(document, "runs").flatMap((run) => docs(run, "differences").map((one) => [num(run, "number"), text(run, "where"), text(one, "name"), text(one, "what")]));
  const varying = texts(document, "results", "varying");
  return tableView("Results, byte by byte", `${different === 0 ? `All ${many(compared, "run")} on the burst buffer left the bytes that the program leaves in its own directory: ${many(num(document, "results", "files") ?? 0, "file")}, ${bytes(num(document, "results", "compared_bytes"))} compared.` : `${many(different, "run")} on the burst buffer left other bytes than the program leaves in its own directory.`}`
    + `${varying.length > 0 ? ` ${many(varying.length, "file differs", "files differ")} from run to run in the own directory too, and ${varying.length === 1 ? "is" : "are"} not held against it.` : ""}`,
  { columns: ["run", "where", "file", "difference"], rows });
}

// The ten lines, with what each is about in front.
function summary(document: Doc): HTMLElement {
  return el("dl", { class: "facts summary" }, ...texts(document, "summary").map((line) => {
    const what = line.slice(0, 13).trim();
    return el("div", {}, el("dt", {}, what), el("dd", {}, line.slice(13).trim()));
  }));
}

export function studyPart(document: Doc, source: string): HTMLElement[] {
  const same = flag(document, "results", "same");
  const factorOfIo = num(document, "gain", "io", "factor");
  const wrote = text(document, "directory") !== null;
  const weakest = text(document, "consistency", "weakest_model");
  const races = num(document, "consistency", "races");
  const enough = weakest !== null ? `${weakest} consistency is enough`
    : races !== null ? `No model is proven enough (${many(races, "race")}); it ran under ${text(document, "model") ?? "posix"}` : "Which consistency it needs is not known";
  const verdict = !wrote ? "The program writes nothing that a burst buffer could hold."
    : same === false ? "The results on the burst buffer are not the same: do not use it for this program."
      : factorOfIo === null ? "There are no runs to compare yet."
        : (num(document, "gain", "io", "low") ?? 1) <= 1 && (num(document, "gain", "io", "high") ?? 1) >= 1
          ? `${enough}; these runs do not tell the I/O time on the burst buffer from that in the own directory. The results are the same.`
        : `${enough}; on the burst buffer its I/O takes ${factorOfIo >= 1 ? `${plain(factorOfIo, 3)} times less` : `${plain(1 / factorOfIo, 3)} times more`} time, with the same results.`;
  return [
    el("p", { class: same === false || (wrote && weakest === null && races !== null) ? "verdict bad" : "verdict" }, verdict),
    summary(document),
    ...texts(document, "notes").map((note) => notice(note)),
    views(source, [["Gain", () => gainView(document)], ["Time", () => shareView(document)], ["I/O times", () => runsView(document, "io_s")], ["Run times", () => runsView(document, "run_s")],
      ["Bandwidth", () => bandwidthView(document)], ["Results", () => resultsView(document)]]),
  ];
}
