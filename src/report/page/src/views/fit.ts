// weir.fit/1: samples and the mixtures fitted to them.
import { cdf, density, modelOf } from "../lib/distribution";
import type { Model } from "../lib/distribution";
import { choice, el, facts, notice } from "../lib/dom";
import type { Option } from "../lib/echarts";
import { count, many, plain } from "../lib/format";
import { axisTip, chart, line, tip, tooltip } from "../lib/option";
import { docs, flag, keyText, num, text } from "../lib/value";
import type { Doc } from "../lib/value";
import { views } from "../lib/view";
import type { View } from "../lib/view";
import { extremeViews } from "./extremes";

interface Step {
  x: number;
  share: number;
}

function steps(group: Doc): Step[] {
  return docs(group, "plot", "ecdf").flatMap((one) => {
    const x = num(one, "x");
    const share = num(one, "share");
    return x === null || share === null ? [] : [{ x, share }];
  });
}

// Share of values at or below x; between the steps that were kept of a long sample, a line.
function shareAt(ecdf: Step[], n: number, x: number): number {
  let low = 0;
  let high = ecdf.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ecdf[middle]?.x ?? 0) <= x) low = middle + 1;
    else high = middle;
  }
  const before = ecdf[low - 1];
  const after = ecdf[low];
  if (before === undefined) return 0;
  if (after === undefined || ecdf.length >= n) return before.share;
  return before.share + (after.share - before.share) * (x - before.x) / (after.x - before.x);
}

interface Bin {
  from: number;
  to: number;
  values: number;
}

// As many bins as Freedman and Diaconis would take, within reason.
export function histogram(ecdf: Step[], n: number): Bin[] {
  const first = ecdf[0];
  const last = ecdf[ecdf.length - 1];
  if (first === undefined || last === undefined || !(last.x > first.x)) return [];
  const quartile = (p: number) => ecdf.find((one) => one.share >= p)?.x ?? last.x;
  const spread = quartile(0.75) - quartile(0.25) || (last.x - first.x) / 4;
  const bins = Math.min(80, Math.max(n < 60 ? 8 : 24, Math.ceil((last.x - first.x) * Math.cbrt(n) / (2 * spread))));
  const width = (last.x - first.x) / bins;
  const made: Bin[] = [];
  let before = 0;
  for (let i = 0; i < bins; ++i) {
    const to = i + 1 === bins ? last.x : first.x + (i + 1) * width;
    const share = shareAt(ecdf, n, to);
    made.push({ from: first.x + i * width, to, values: Math.round((share - before) * n) });
    before = share;
  }
  return made;
}

function grid(ecdf: Step[], positive: boolean): number[] {
  const low = ecdf[0]?.x ?? 0;
  const high = ecdf[ecdf.length - 1]?.x ?? 1;
  const margin = 0.05 * (high - low);
  const from = positive ? Math.max(low - margin, 0.5 * low) : low - margin;
  return Array.from({ length: 241 }, (_, i) => from + (high + margin - from) * i / 240);
}

function histogramView(group: Doc, model: Model, column: string): View | null {
  const ecdf = steps(group);
  const n = num(group, "n") ?? ecdf.length;
  const bins = histogram(ecdf, n);
  if (bins.length === 0) return null;
  const k = model.components.length;
  const xs = grid(ecdf, model.family !== "normal" && model.family !== "gev" && model.family !== "gumbel");
  const lines = (c: { series: string[] }): Option[] => [
    line("fitted density", xs.map((x) => [x, density(model, x)]), { lineStyle: { width: 2.5, color: c.series[1] }, itemStyle: { color: c.series[1] } }),
    ...(k > 1 ? model.components.map((one, i) => line(`component ${i + 1} (${plain(100 * one.weight, 3)} %)`,
      xs.map((x) => [x, density(model, x, i)]), { lineStyle: { width: 1.5, type: "dashed", color: c.series[2 + i % 5] }, itemStyle: { color: c.series[2 + i % 5] } })) : []),
  ];
  return {
    title: "Histogram and fitted density",
    says: k > 1
      ? `${many(n, "value")} of ${column}, and a mixture of ${k} ${model.family} components: the runs fall into ${k} regimes, and one mean describes none of them.`
      : `${many(n, "value")} of ${column}, and one ${model.family === "gev" ? "GEV" : model.family} distribution: a single regime describes the runs.`,
    numbers: () => ({
      columns: ["from", "to", "values", "density", "model_density"],
      rows: bins.map((bin) => [bin.from, bin.to, bin.values, bin.values / n / (bin.to - bin.from), density(model, 0.5 * (bin.from + bin.to))]),
    }),
    chart: {
      option: (c) => chart(c, { name: column }, { name: "density" }, [
        { type: "custom", name: "runs", itemStyle: { color: c.series[5], opacity: 0.55 }, encode: { x: [0, 1], y: 2 },
          data: bins.map((bin) => [bin.from, bin.to, bin.values / n / (bin.to - bin.from), bin.values]),
          renderItem: bar, tooltip: { formatter: (item: { value: number[] }) =>
            tip(`${plain(item.value[0] ?? 0)} to ${plain(item.value[1] ?? 0)}`, [["values", count(item.value[3] ?? 0)]]) } },
        ...lines(c)], { tooltip: tooltip(c, { formatter: (item: { seriesName: string; value: number[] }) =>
          tip(item.seriesName, [[column, plain(item.value[0] ?? 0)], ["density", plain(item.value[1] ?? 0)]]) }) }),
    },
  };
}

interface Api {
  value: (dimension: number) => number;
  coord: (point: number[]) => number[];
  style: () => Option;
}

function bar(_: unknown, api: Api): Option {
  const [x0 = 0, y0 = 0] = api.coord([api.value(0), 0]);
  const [x1 = 0, y1 = 0] = api.coord([api.value(1), api.value(2)]);
  return { type: "rect", shape: { x: x0, y: y1, width: Math.max(1, x1 - x0 - 1), height: y0 - y1 }, style: api.style() };
}

function bestOfFamilies(group: Doc): Model[] {
  const seen = new Set<string>();
  const best: Model[] = [];
  for (const one of docs(group, "models")) {
    const model = modelOf(one);
    if (model === null || seen.has(model.family)) continue;
    seen.add(model.family);
    best.push(model);
  }
  return best;
}

function ecdfView(group: Doc, column: string): View | null {
  const ecdf = steps(group);
  const families = bestOfFamilies(group);
  if (ecdf.length < 2 || families.length === 0) return null;
  const goodness = num(group, "goodness", "ks_p");
  const xs = grid(ecdf, false);
  const label = (model: Model) => `${model.family} × ${model.components.length}`;
  return {
    title: "Cumulative distribution, all families",
    says: `The share of runs at or below a value, and the best mixture of each family, by BIC. ${goodness === null
      ? "Where a curve leaves the steps, that family describes those runs badly."
      : goodness < 0.05 ? `A bootstrap test rejects even the best one (Kolmogorov-Smirnov p = ${plain(goodness, 2)}): trust its tails little.`
        : `A bootstrap test does not reject the best one (Kolmogorov-Smirnov p = ${plain(goodness, 2)}).`}`,
    numbers: () => ({
      columns: ["x", "share", ...families.map(label)],
      rows: ecdf.map((one) => [one.x, one.share, ...families.map((model) => cdf(model, one.x))]),
    }),
    chart: {
      option: (c) => chart(c, { name: column }, { name: "share of runs", min: 0, max: 1 }, [
        line("runs", ecdf.map((one) => [one.x, one.share]), { step: "end", lineStyle: { width: 3, color: c.ink, opacity: 0.6 }, itemStyle: { color: c.ink } }),
        ...families.map((model) => line(label(model), xs.map((x) => [x, cdf(model, x)]), { lineStyle: { width: 1.5 } })),
      ], { tooltip: axisTip(c, (x) => `${column} ${plain(Number(x))}`, (y) => plain(y, 3)) }),
    },
  };
}

export function quantileView(group: Doc, name: string, column: string): View | null {
  const points = docs(group, "plot", "quantiles").flatMap((one) => {
    const model = num(one, "model");
    const observed = num(one, "observed");
    return model === null || observed === null ? []
      : [{ model, observed, low: num(one, "low"), high: num(one, "high"), outside: flag(one, "outside") === true }];
  });
  if (points.length < 2) return null;
  const outside = num(group, "plot", "outside");
  const checked = num(group, "plot", "checked");
  const level = num(group, "plot", "band_level") ?? 0.95;
  const verdict = outside === null || checked === null ? ""
    : outside > (1 - level) * checked * 1.5
      ? ` ${count(outside)} of ${count(checked)} points lie outside the ${100 * level} % band, more than chance would put there: the model misses something.`
      : ` ${count(outside)} of ${count(checked)} points lie outside the ${100 * level} % band, no more than chance would put there.`;
  const ends = [points[0]?.model ?? 0, points[points.length - 1]?.model ?? 1];
  return {
    title: "Quantiles of the runs against the model",
    says: `Points on the diagonal mean that ${name} describes the runs, tails included.${verdict}`,
    numbers: () => ({
      columns: ["model", "observed", "low", "high", "outside"],
      rows: points.map((one) => [one.model, one.observed, one.low, one.high, one.outside]),
    }),
    chart: {
      option: (c) => chart(c, { name: `model's quantile of ${column}` }, { name: "observed" }, [
        line("band", points.map((one) => [one.model, one.low]), { silent: true, lineStyle: { width: 1, color: c.muted, type: "dotted" } }),
        line("band", points.map((one) => [one.model, one.high]), { silent: true, lineStyle: { width: 1, color: c.muted, type: "dotted" } }),
        line("diagonal", ends.map((x) => [x, x]), { silent: true, lineStyle: { width: 1, color: c.muted } }),
        { type: "scatter", name: "inside the band", symbolSize: 5, itemStyle: { color: c.series[0] },
          data: points.filter((one) => !one.outside).map((one) => [one.model, one.observed]) },
        { type: "scatter", name: "outside", symbolSize: 7, symbol: "diamond", itemStyle: { color: c.bad },
          data: points.filter((one) => one.outside).map((one) => [one.model, one.observed]) },
      ], { tooltip: tooltip(c, { formatter: (item: { value: number[] }) =>
        tip(column, [["model", plain(item.value[0] ?? 0)], ["observed", plain(item.value[1] ?? 0)]]) }) }),
    },
  };
}

function modelTable(group: Doc): View | null {
  const models = docs(group, "models");
  if (models.length === 0) return null;
  const best = num(models[0], "bic") ?? NaN;
  const second = num(models[1], "bic");
  const rows = models.map((one) => [text(one, "family"), num(one, "components"), num(one, "bic"),
    (num(one, "bic") ?? NaN) - best, num(one, "log_likelihood"), flag(one, "converged")]);
  const numbers = { columns: ["family", "components", "bic", "behind_best", "log_likelihood", "converged"], rows };
  const gap = second === null ? null : second - best;
  return {
    title: "Models by BIC",
    says: gap === null ? "The only model that was asked for."
      : gap < 2 ? `The first two are within ${plain(gap, 2)} of each other: the data do not decide between them.`
        : `The first is ahead by ${plain(gap, 3)}; beyond 10 the data decide clearly.`,
    numbers: () => numbers,
    shown: { columns: ["family", "components", "BIC", "behind", "log L", "converged"], rows },
  };
}

function parameterTable(group: Doc): View | null {
  const model = docs(group, "models")[0];
  const rows = docs(model, "parameters").map((one, i) => [i + 1, num(one, "weight"), num(one, "weight_se"), num(one, "location"),
    num(one, "location_se"), num(one, "scale"), num(one, "scale_se"),
    ...(num(one, "shape") === null ? [] : [num(one, "shape"), num(one, "shape_se")])]);
  if (rows.length === 0) return null;
  const columns = ["component", "weight", "weight_se", "location", "location_se", "scale", "scale_se",
    ...((rows[0]?.length ?? 0) > 7 ? ["shape", "shape_se"] : [])];
  return {
    title: "Parameters of the best model",
    says: text(model, "family") === "gamma" ? "Each with its standard error; for gamma, location holds the shape."
      : "Each with its standard error; weights are the shares of runs in each regime.",
    numbers: () => ({ columns, rows }),
    shown: { columns, rows },
    wide: true,
  };
}

function groupViews(group: Doc, column: string, source: string): HTMLElement {
  const made = el("div");
  const skipped = text(group, "skipped");
  const warning = text(group, "warning");
  if (skipped !== null) made.append(notice(`This group could not be fitted: ${skipped}`, "problem"));
  if (warning !== null) made.append(notice(warning));
  const first = docs(group, "models")[0];
  const model = first === undefined ? null : modelOf(first);
  if (first !== undefined && flag(first, "converged") === false)
    made.append(notice("The best model's fit did not converge; its figures are where it stopped.", "problem"));
  const note = text(first, "note");
  if (note !== null) made.append(notice(note));
  if (model === null) {
    if (skipped === null) made.append(notice("No model was fitted to this group.", "problem"));
    return made;
  }
  if (steps(group).length === 0)
    made.append(notice("This result has no points to draw (more than 10 groups); run weir fit with --plot to have them."));
  const extreme = model.family === "gev" || model.family === "gumbel";
  const name = extreme ? `the ${model.family === "gev" ? "GEV" : "Gumbel"} distribution` : "the mixture";
  made.append(views(source, [
    ["Histogram", () => histogramView(group, model, column)],
    ["Cumulative distribution", () => ecdfView(group, column)],
    ["Quantiles", () => quantileView(group, name, column)],
    ...extremeViews(group, model, column),
    ["Models", () => modelTable(group)],
    ["Parameters", () => parameterTable(group)],
  ]));
  const left = docs(group, "left_out").map((one) => `${text(one, "family") ?? "?"}: ${text(one, "reason") ?? "?"}`);
  if (left.length > 0) made.append(notice(`Left out: ${left.join("; ")}`));
  return made;
}

function totalsView(document: Doc): View | null {
  const families = docs(document, "totals", "families");
  if (families.length === 0) return null;
  const rows = families.map((one) => [text(one, "family"), num(one, "sum_of_best_bic"), num(one, "best"), num(one, "groups")] as (string | number | null)[]);
  const best = [...rows].sort((a, b) => Number(b[2]) - Number(a[2]))[0];
  return {
    title: "Which family fits most groups",
    says: `In how many groups each family has the best BIC; ${String(best?.[0] ?? "none")} wins most often, in ${count(Number(best?.[2] ?? 0))} of ${count(num(document, "totals", "groups") ?? 0)}.`,
    numbers: () => ({ columns: ["family", "sum_of_best_bic", "groups_best", "groups_fitted"], rows }),
    chart: {
      height: 260,
      option: (c) => chart(c, { name: "family", words: rows.map((row) => String(row[0])) }, { name: "groups where it is best", min: 0 },
        [{ type: "bar", name: "groups", data: rows.map((row) => row[2]), itemStyle: { color: c.series[0] } }]),
    },
  };
}

export function fitPart(document: Doc, source: string): HTMLElement[] {
  const groups = docs(document, "groups");
  const column = text(document, "input", "column") ?? "value";
  const made: HTMLElement[] = [facts([
    ["samples", text(document, "input", "source")], ["column", column],
    ["values", num(document, "input", "values") === null ? null : count(num(document, "input", "values"))],
    ["skipped", (num(document, "input", "skipped") ?? 0) > 0 ? count(num(document, "input", "skipped")) : null],
    ["families", text(document, "options", "family")],
    ["seed", num(document, "options", "seed") === null ? null : String(num(document, "options", "seed"))],
  ])];
  if (groups.length === 0) return [...made, notice("The result holds no groups: nothing was fitted.", "problem")];
  if (docs(document, "totals", "families").length > 0) made.push(views(source, [["Families", () => totalsView(document)]]));
  const place = el("div", {});
  const show = (index: number) => place.replaceChildren(groupViews(groups[index] ?? {}, column, source));
  if (groups.length > 1) made.push(choice("Group", groups.map((group) => keyText(group.key)), show));
  show(0);
  return [...made, place];
}
