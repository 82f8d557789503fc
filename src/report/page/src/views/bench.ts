// weir.bench-*/1, weir.stripe/1, weir.detect/1: campaigns and what became of them.
import { el, facts, notice } from "../lib/dom";
import { bytes, count, percent, plain, seconds, sentence, whenNs } from "../lib/format";
import { byteInterval, chart, heat, line, rule, tip, tooltip } from "../lib/option";
import { docs, flag, keyText, keyWords, list, num, numbers, text, texts } from "../lib/value";
import type { Doc } from "../lib/value";
import { tableView, views } from "../lib/view";
import type { Maker, View } from "../lib/view";

const kShown = 40;

// Configurations on an axis.
function configurations(all: Doc[]): { name: string; words: string[]; inverse: true } {
  const sized = (value: string, name: string) => (/(_size|_bytes)$/.test(name) && /^\d+$/.test(value) ? bytes(Number(value)) : value);
  return { ...keyWords(all.map((one) => one.key), sized), inverse: true };
}

function throughputView(document: Doc): View | null {
  const planned = docs(document, "configurations");
  const all = planned.filter((one) => num(one, "throughput_bytes_per_s", "median") !== null);
  if (all.length === 0) return null;
  const speed = (one: Doc, field: string) => num(one, "throughput_bytes_per_s", field);
  const shown = [...all].sort((a, b) => (speed(b, "median") ?? 0) - (speed(a, "median") ?? 0)).slice(0, kShown);
  const spread = shown.map((one) => (speed(one, "deviation") ?? 0) / Math.max(1e-9, speed(one, "mean") ?? 1));
  return {
    title: "Throughput of the configurations",
    says: `Medians with their 95 % interval, fastest first${all.length > kShown ? `, the first ${kShown} of ${count(all.length)}` : ""}; single runs of one configuration vary by up to ${percent(Math.max(...spread))} of their mean.${all.length < planned.length ? ` ${count(planned.length - all.length)} more have no run that counts.` : ""}`,
    numbers: () => ({ columns: ["configuration", "ok", "disturbed", "failed", "median", "median_low", "median_high", "mean", "deviation", "least", "greatest"],
      rows: all.map((one) => [keyText(one.key), num(one, "ok"), num(one, "disturbed"), num(one, "failed"), ...["median", "median_low", "median_high", "mean", "deviation", "least", "greatest"].map((field) => speed(one, field))]) }),
    wide: true,
    chart: { height: Math.max(240, 100 + 22 * shown.length), option: (c) => chart(c, { name: "bytes per second", min: 0, format: (x) => bytes(x), interval: byteInterval(speed(shown[0] ?? {}, "median") ?? 1) }, configurations(shown), [
      { type: "bar", name: "median", barMaxWidth: 14, data: shown.map((one) => speed(one, "median")), itemStyle: { color: c.series[0] } },
      { type: "custom", name: "interval", data: shown.map((one, i) => [speed(one, "median_low"), speed(one, "median_high"), i]), encode: { x: [0, 1], y: 2 },
        renderItem: (_: unknown, api: { value: (i: number) => number; coord: (p: number[]) => number[] }) => {
          if (!Number.isFinite(api.value(0)) || !Number.isFinite(api.value(1))) return null;
          const [x0 = 0, y = 0] = api.coord([api.value(0), api.value(2)]);
          const [x1 = 0] = api.coord([api.value(1), api.value(2)]);
          return { type: "line", shape: { x1: x0, y1: y, x2: x1, y2: y }, style: { stroke: c.ink, lineWidth: 2 } };
        } },
    ], { tooltip: tooltip(c, { formatter: (item: { dataIndex: number }) => tip(keyText(shown[item.dataIndex]?.key), [["median", `${bytes(speed(shown[item.dataIndex] ?? {}, "median"))}/s`], ["runs", count(num(shown[item.dataIndex], "ok"))]]) }) }) },
  };
}

export function benchPart(document: Doc, source: string): HTMLElement[] {
  const end = text(document, "end");
  const runs = (field: string) => num(document, field) ?? docs(document, "configurations").reduce((sum, one) => sum + (num(one, field) ?? 0), 0);
  const made = num(document, "runs") ?? runs("ok") + runs("disturbed") + runs("failed");
  return [facts([["store", text(document, "store")], ["campaign", text(document, "name")], ["runs", count(made)], ["disturbed", count(runs("disturbed"))], ["failed", count(runs("failed"))], ["took", num(document, "seconds") === null ? null : seconds(num(document, "seconds"))],
    ["measured on", text(document, "environment", "host")], ["begun", whenNs(num(document, "environment", "captured_ns"))], ["by", text(document, "environment", "weir") === null ? null : `weir ${text(document, "environment", "weir") ?? ""}`],
    ["seed", num(document, "seed") === null ? null : String(num(document, "seed"))]]),
  ...(end !== null && end !== "finished" ? [notice(`The campaign is not complete: ${end.replace("_", " ")}; weir bench run --resume goes on with it.`, "problem")] : []),
  views(source, [["Throughput", () => throughputView(document)]])];
}

function ratioView(document: Doc): View | null {
  const all = docs(document, "configurations").filter((one) => num(one, "ratio") !== null);
  if (all.length === 0) return null;
  const sorted = [...all].sort((a, b) => (num(a, "ratio") ?? 1) - (num(b, "ratio") ?? 1)).slice(0, kShown);
  return {
    title: "After against before",
    says: `${count(num(document, "slower"))} configurations are slower, ${count(num(document, "faster"))} faster, ${count(num(document, "same"))} the same, ${count(num(document, "inconclusive"))} undecided. Left of 1 is slower.`,
    wide: true,
    numbers: () => ({ columns: ["configuration", "before_median", "after_median", "ratio", "ratio_low", "ratio_high", "p_value", "adjusted_p_value", "change"],
      rows: all.map((one) => [keyText(one.key), ...["before_median", "after_median", "ratio", "ratio_low", "ratio_high", "p_value", "adjusted_p_value"].map((field) => num(one, field)), text(one, "change")]) }),
    chart: { height: Math.max(240, 90 + 22 * sorted.length), option: (c) => chart(c, { name: "throughput after / before" }, configurations(sorted), [
      { type: "scatter", symbolSize: 10, markLine: rule(1, "same", c, true), data: sorted.map((one, i) => ({ value: [num(one, "ratio"), i], itemStyle: { color: text(one, "change") === "slower" ? c.bad : text(one, "change") === "faster" ? c.good : c.series[6] } })) },
      ...sorted.map((one, i) => line("", [[num(one, "ratio_low"), i], [num(one, "ratio_high"), i]], { silent: true, lineStyle: { width: 2, color: c.muted } }))]) },
  };
}

export function comparePart(document: Doc, source: string): HTMLElement[] {
  const outcome = text(document, "outcome");
  return [el("p", { class: outcome === "regression" ? "verdict bad" : "verdict" }, outcome === "regression" ? "A regression: something is slower than before." : outcome === "pass" ? "No regression." : "Inconclusive: more runs would tell."),
    views(source, [["Ratios", () => ratioView(document)]])];
}

function totalsView(document: Doc): View | null {
  const totals = numbers(document, "total_s");
  if (totals.length === 0) return null;
  const verdict = texts(document, "study", "verdict");
  return {
    title: "Time of each write",
    says: `${count(totals.length)} writes in their order. ${verdict.map(sentence).join(" ")}`,
    numbers: () => ({ columns: ["run", "total_s"], rows: totals.map((value, i) => [i + 1, value]) }),
    chart: { height: 300, canvas: totals.length > 2000, option: (c) => chart(c, { name: "run" }, { name: "seconds", min: 0, format: (y) => seconds(y) }, [{ type: "scatter", symbolSize: 4, data: totals.map((value, i) => [i + 1, value]), itemStyle: { color: c.series[0] } }]) },
  };
}

function correlationView(document: Doc): View | null {
  const matrix = list(document, "study", "correlation", "matrix");
  if (matrix.length < 2) return null;
  const cells = matrix.flatMap((row, j) => list(row).flatMap((value, i): [number, number, number][] => (typeof value === "number" ? [[i, j, value]] : [])));
  const words = matrix.map((_, i) => String(i + 1));
  return {
    title: "Do the targets move together",
    says: `Correlation of the times of storage targets, ${plain(num(document, "study", "correlation", "mean"), 2)} in the mean. ${flag(document, "study", "assumptions_hold") === true ? "They are independent enough for the extreme value model." : "The extreme value model asks for independent ones: mind its verdict."}`,
    numbers: () => ({ columns: ["target", "other", "correlation"], rows: cells.map(([i, j, value]) => [j + 1, i + 1, value]) }),
    chart: { canvas: true, height: 360, option: (c) => heat(c, { name: "target", words }, { name: "target", words, inverse: true }, cells, (value) => plain(value, 2), 0) },
  };
}

function slowestView(document: Doc): View | null {
  const counts = numbers(document, "study", "slowest", "counts");
  if (counts.length < 2) return null;
  const p = num(document, "study", "slowest", "p_value");
  return {
    title: "Which target is the slowest",
    says: p !== null && p < 0.01 ? "One target is last too often for chance: look at it." : "Each target is last about equally often: none stands out.",
    numbers: () => ({ columns: ["target", "times_slowest"], rows: counts.map((value, i) => [i + 1, value]) }),
    chart: { height: 240, option: (c) => chart(c, { name: "target", words: counts.map((_, i) => String(i + 1)) }, { name: "times slowest", min: 0 }, [{ type: "bar", barMaxWidth: 40, data: counts, itemStyle: { color: c.series[1] } }]) },
  };
}

export function stripePart(document: Doc, source: string): HTMLElement[] {
  return [facts([["size", bytes(num(document, "size_bytes"))], ["stripe", bytes(num(document, "stripe_bytes"))], ["runs", count(num(document, "study", "runs"))], ["targets", count(num(document, "study", "targets"))],
    ["GEV", num(document, "study", "gev", "location") === null ? null : `μ ${plain(num(document, "study", "gev", "location"))}, σ ${plain(num(document, "study", "gev", "scale"))}, ξ ${plain(num(document, "study", "gev", "shape"))}`]]),
  views(source, [["Times", () => totalsView(document)], ["Correlation", () => correlationView(document)], ["Slowest", () => slowestView(document)]])];
}

function shiftsView(document: Doc): View | null {
  const groups = docs(document, "groups").filter((one) => num(one, "shift_percent") !== null);
  if (groups.length === 0) return null;
  const sorted = [...groups].sort((a, b) => (num(a, "shift_percent") ?? 0) - (num(b, "shift_percent") ?? 0)).slice(0, kShown);
  return {
    title: "New runs against the baseline",
    says: `Typical change in percent; red is worse beyond chance. ${count(groups.filter((one) => text(one, "verdict") === "degraded").length)} of ${count(groups.length)} groups are degraded.`,
    numbers: () => ({ columns: ["group", "verdict", "baseline_median", "new_median", "shift_percent", "worse_p", "better_p", "detectable_80_percent"],
      rows: groups.map((one) => [keyText(one.key), text(one, "verdict"), ...["baseline_median", "new_median", "shift_percent", "worse_p", "better_p", "detectable_80_percent"].map((field) => num(one, field))]) }),
    wide: true,
    chart: { height: Math.max(220, 90 + 24 * sorted.length), option: (c) => chart(c, { name: "change of the typical run, %" }, configurations(sorted),
      [{ type: "bar", barMaxWidth: 16, data: sorted.map((one) => ({ value: num(one, "shift_percent"), itemStyle: { color: text(one, "verdict") === "degraded" ? c.bad : text(one, "verdict") === "improved" ? c.good : c.series[6] } })) }]) },
  };
}

function valuesView(group: Doc): View | null {
  const values = docs(group, "values");
  if (values.length === 0) return null;
  return {
    title: `Single runs: ${keyText(group.key)}`,
    says: `Each new run against the baseline's model; ${count(num(group, "abnormal"))} are abnormal by themselves (red).`,
    numbers: () => ({ columns: ["index", "value", "tail_probability", "adjusted", "abnormal"], rows: values.map((one) => [num(one, "index"), num(one, "value"), num(one, "tail_probability"), num(one, "adjusted"), flag(one, "abnormal")]) }),
    chart: { height: 260, option: (c) => chart(c, { name: "run" }, { name: "value" }, [{ type: "scatter", symbolSize: 6, ...(num(group, "baseline_median") === null ? {} : { markLine: rule(num(group, "baseline_median") ?? 0, "baseline median", c, false) }),
      data: values.map((one) => ({ value: [num(one, "index"), num(one, "value")], itemStyle: { color: flag(one, "abnormal") === true ? c.bad : c.series[0] } })) }]) },
  };
}

export function detectPart(document: Doc, source: string): HTMLElement[] {
  const bad = flag(document, "degraded") === true;
  return [el("p", { class: bad ? "verdict bad" : "verdict" }, bad ? "The new runs are worse than the baseline." : "The new runs are not worse than the baseline."),
    facts([["baseline", text(document, "options", "baseline")], ["new", text(document, "options", "new")], ["better", text(document, "options", "better")], ["seed", num(document, "options", "seed") === null ? null : String(num(document, "options", "seed"))]]),
    views(source, [["Shifts", () => shiftsView(document)], ...docs(document, "groups").slice(0, 6).map((group): Maker => ["Single runs", () => valuesView(group)])])];
}

export function doctorPart(document: Doc, source: string): HTMLElement[] {
  return [facts([["host", text(document, "host", "name")], ["system", text(document, "host", "system")], ["processor", text(document, "host", "processor")], ["cores", count(num(document, "host", "cores"))], ["memory", bytes(num(document, "host", "memory_bytes"))]]),
    views(source, [["Facts", () => tableView("What this machine has", "“missing” can be had, with the remedy beside it; “absent” needs other hardware.",
      { columns: ["topic", "name", "state", "detail", "remedy"], rows: docs(document, "facts").map((one) => [text(one, "topic"), text(one, "name"), text(one, "state"), text(one, "detail"), text(one, "remedy")]) }, undefined, true)]])];
}
