// What weir fit --family gev adds: return levels, the growth of the slowest of many, traffic.
import { cdf } from "../lib/distribution";
import type { Model } from "../lib/distribution";
import { plain } from "../lib/format";
import { axisTip, chart, line, tip, tooltip } from "../lib/option";
import { docs, num } from "../lib/value";
import type { Doc } from "../lib/value";
import type { Maker, View } from "../lib/view";

// The value that a share `p` of blocks stays below; by halving, as the distribution function is all it needs.
function quantile(model: Model, p: number): number {
  const one = model.components[0];
  if (one === undefined) return NaN;
  let low = one.location - 50 * one.scale;
  let high = one.location + 50 * one.scale;
  while (cdf(model, high) < p && high < 1e300) high += (high - low);
  for (let i = 0; i < 200; ++i) {
    const middle = 0.5 * (low + high);
    if (cdf(model, middle) < p) low = middle;
    else high = middle;
  }
  return 0.5 * (low + high);
}

function returnLevels(group: Doc, model: Model, column: string): View | null {
  const levels = docs(group, "return_levels").flatMap((one) => {
    const exceedance = num(one, "exceedance");
    const level = num(one, "level");
    const se = num(one, "level_se");
    return exceedance === null || level === null ? [] : [{
      period: 1 / exceedance, exceedance, level,
      low: num(one, "profile", "low") ?? (se === null ? null : level - 1.96 * se),
      high: num(one, "profile", "high") ?? (se === null ? null : level + 1.96 * se),
    }];
  });
  if (levels.length === 0) return null;
  const shape = model.components[0]?.shape ?? 0;
  const low = num(group, "shape_interval", "low");
  const high = num(group, "shape_interval", "high");
  const p = num(group, "gumbel_test", "p_value");
  const tail = low !== null && high !== null && low > 0 ? "The tail is heavy: much longer times than any seen so far will come."
    : low !== null && high !== null && high < 0 ? "The tail has an end: times do not grow without bound."
      : "The data do not tell a heavy tail from a light one.";
  const furthest = levels.reduce((a, b) => (b.period > a.period ? b : a));
  const periods = Array.from({ length: 80 }, (_, i) => 1.05 * (2 * furthest.period / 1.05) ** (i / 79));
  return {
    title: "Return levels (GEV)",
    says: `How long the slowest takes once in so many runs: ${plain(furthest.level)} once in ${plain(furthest.period, 3)} runs. `
      + `Shape ξ = ${plain(shape, 3)}${low === null || high === null ? "" : ` (${plain(low, 3)} to ${plain(high, 3)})`}`
      + `${p === null ? "" : `, test against Gumbel p = ${plain(p, 2)}`}. ${tail}`,
    numbers: () => ({
      columns: ["exceedance", "period_runs", "level", "low", "high"],
      rows: levels.map((one) => [one.exceedance, one.period, one.level, one.low, one.high]),
    }),
    chart: {
      option: (c) => chart(c, { name: "once in so many runs", log: true, format: (x) => plain(x, 3) }, { name: column }, [
        line("model", periods.map((x) => [x, quantile(model, 1 - 1 / x)])),
        line("interval", levels.map((one) => [one.period, one.low]), { silent: true, lineStyle: { type: "dotted", color: c.muted } }),
        line("interval", levels.map((one) => [one.period, one.high]), { silent: true, lineStyle: { type: "dotted", color: c.muted } }),
        { type: "scatter", name: "return level", symbolSize: 9, itemStyle: { color: c.series[1] }, data: levels.map((one) => [one.period, one.level]) },
      ], { tooltip: tooltip(c, { formatter: (item: { value: number[] }) =>
        tip(`once in ${plain(item.value[0] ?? 0, 3)} runs`, [[column, plain(item.value[1] ?? 0)]]) }) }),
    },
  };
}

function probabilities(group: Doc, model: Model): View | null {
  const points = docs(group, "plot", "ecdf").flatMap((one) => {
    const x = num(one, "x");
    const share = num(one, "share");
    return x === null || share === null ? [] : [{ x, share, expected: cdf(model, x) }];
  });
  if (points.length < 2) return null;
  const furthest = points.reduce((a, b) => (Math.abs(b.share - b.expected) > Math.abs(a.share - a.expected) ? b : a));
  return {
    title: "Cumulative share, observed against modelled",
    says: `Points on the diagonal mean that the model has as many runs below each value as there are; the furthest is ${plain(Math.abs(furthest.share - furthest.expected), 2)} away from it, at ${plain(furthest.x)}. Here the middle shows best, in the quantiles the tails.`,
    numbers: () => ({ columns: ["x", "model_share", "share"], rows: points.map((one) => [one.x, one.expected, one.share]) }),
    chart: {
      option: (c) => chart(c, { name: "model's share of runs", min: 0, max: 1 }, { name: "observed share", min: 0, max: 1 }, [
        line("diagonal", [[0, 0], [1, 1]], { silent: true, lineStyle: { width: 1, color: c.muted } }),
        { type: "scatter", name: "runs", symbolSize: 5, itemStyle: { color: c.series[0] }, data: points.map((one) => [one.expected, one.share, one.x]) },
      ], { tooltip: tooltip(c, { formatter: (item: { value: number[] }) =>
        tip(plain(item.value[2] ?? 0), [["model", plain(item.value[0] ?? 0, 3)], ["observed", plain(item.value[1] ?? 0, 3)]]) }) }),
    },
  };
}

function growth(group: Doc, column: string): View | null {
  const rows = docs(group, "slowest_of").map((one) =>
    [num(one, "targets"), num(one, "mean"), num(one, "median"), num(one, "low"), num(one, "high")]);
  const usable = rows.filter((row) => row[0] !== null && (row[1] !== null || row[2] !== null));
  if (usable.length < 2) return null;
  const names = ["", "mean", "median", "5 %", "95 %"];
  const [first, last] = [usable[0] ?? [], usable[usable.length - 1] ?? []];
  return {
    title: "The slowest of many",
    says: `What the slowest of so many targets takes if each behaves like these runs: the price of waiting for all of them. The median goes from ${plain(first[2] ?? null, 3)} of ${plain(first[0] ?? null, 3)} to ${plain(last[2] ?? null, 3)} of ${plain(last[0] ?? null, 3)}.`,
    numbers: () => ({ columns: ["targets", "mean", "median", "low", "high"], rows }),
    chart: {
      height: 280,
      option: (c) => chart(c, { name: "how many", log: true, format: (x) => plain(x, 3) }, { name: column },
        [1, 2, 3, 4].filter((i) => usable.some((row) => row[i] !== null)).map((i) =>
          line(names[i] ?? "", usable.map((row) => [row[0] ?? null, row[i] ?? null]), i < 3 ? { showSymbol: true } : { lineStyle: { width: 1, type: "dotted", color: c.muted }, itemStyle: { color: c.muted } })),
        { tooltip: axisTip(c, (x) => `slowest of ${plain(Number(x), 3)}`, (y) => plain(y)) }),
    },
  };
}

function traffic(group: Doc): View | null {
  const blocks = docs(group, "traffic", "blocks").map((one) => [num(one, "first"), num(one, "count"), num(one, "factor")]);
  if (blocks.length === 0) return null;
  const factor = num(group, "traffic", "factor");
  return {
    title: "Traffic of others",
    says: `These runs took ${plain(factor, 3)} times as long as the quiet ones (${plain(num(group, "traffic", "low"), 3)} to ${plain(num(group, "traffic", "high"), 3)}); `
      + `a factor that drifts from block to block is traffic that comes and goes (drift p = ${plain(num(group, "traffic", "drift_p"), 2)}).`,
    numbers: () => ({ columns: ["first_run", "runs", "factor"], rows: blocks }),
    chart: {
      height: 240,
      option: (c) => chart(c, { name: "run" }, { name: "times as long" }, [line("factor", blocks.map((row) => [row[0] ?? null, row[2] ?? null]), { showSymbol: true })]),
    },
  };
}

export function extremeViews(group: Doc, model: Model, column: string): Maker[] {
  const extreme = model.family === "gev" || model.family === "gumbel";
  return [
    ["Cumulative share", () => (extreme ? probabilities(group, model) : null)],
    ["Return levels", () => (extreme ? returnLevels(group, model, column) : null)],
    ["The slowest of many", () => growth(group, column)],
    ["Traffic", () => traffic(group)],
  ];
}
