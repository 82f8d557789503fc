// weir.map-*/1: variability maps.
import { choice, el, facts, notice } from "../lib/dom";
import { count, percent, plain } from "../lib/format";
import { axisTip, chart, heat, line, rule, tip, tooltip } from "../lib/option";
import { doc, docs, flag, keyText, list, num, numbers, text, texts } from "../lib/value";
import type { Doc } from "../lib/value";
import { tableView, views } from "../lib/view";
import type { Maker, View } from "../lib/view";

function about(document: Doc): HTMLElement {
  return facts([["samples", text(document, "input", "source") ?? text(document, "source")], ["response", text(document, "input", "response") ?? text(document, "response")],
    ["factors", texts(document, "input", "factors").join(", ") || null], ["split", texts(document, "input", "split").join(", ") || null],
    ["seed", num(document, "options", "seed") === null ? null : String(num(document, "options", "seed"))]]);
}

// With --test or --leave-level there are no shares: one error for each method.
function testedView(results: Doc[], floor: number | null): View | null {
  const rows = results.flatMap((row): [string, number, number | null][] => {
    const error = num(row, "are_percent");
    return error === null ? [] : [[text(row, "method") ?? "?", error, num(row, "standard_error")]];
  }).sort((a, b) => a[1] - b[1]);
  if (rows.length === 0) return null;
  return {
    title: "Error of each method",
    says: `How far predictions are from what was measured, in configurations the predictor had not seen: ${rows[0]?.[0] ?? "?"} is best with ${plain(rows[0]?.[1] ?? null, 3)} %${floor === null ? "." : `, and noise alone makes ${plain(floor, 3)} %.`}`,
    numbers: () => ({ columns: ["method", "are_percent", "standard_error", "noise_floor_percent"], rows: rows.map((row) => [...row, floor]) }),
    chart: { height: Math.max(200, 90 + 30 * rows.length), option: (c) => chart(c, { name: "relative error, %", min: 0 }, { name: "", words: rows.map((row) => row[0]), inverse: true },
      [{ type: "bar", barMaxWidth: 18, data: rows.map((row) => row[1]), itemStyle: { color: c.series[0] }, markLine: floor === null ? undefined : rule(floor, "noise floor", c, true) }]) },
  };
}

function errorView(results: Doc[], floor: number | null): View | null {
  const rows = results.filter((row) => num(row, "train") !== null && num(row, "are_percent") !== null);
  if (rows.length === 0) return testedView(results, floor);
  const methods = [...new Set(rows.map((row) => text(row, "method") ?? "?"))];
  const best = rows.reduce((a, b) => ((num(b, "are_percent") ?? 0) < (num(a, "are_percent") ?? 0) ? b : a));
  const least = num(best, "are_percent") ?? 0;
  return {
    title: "Error against the share trained on",
    says: `How far predictions are from what was measured, in configurations the predictor had not seen: ${text(best, "method") ?? "?"} gets to ${plain(least, 3)} %`
      + (floor === null ? ". No noise floor: it takes the single runs." : `, and noise alone makes ${plain(floor, 3)} %: ${least < 1.25 * floor ? "no predictor could do much better." : "a better predictor, or more configurations, would pay."}`),
    numbers: () => ({ columns: ["method", "train", "are_percent", "standard_error", "count", "noise_floor_percent"],
      rows: results.map((row) => [text(row, "method"), num(row, "train"), num(row, "are_percent"), num(row, "standard_error"), num(row, "count"), floor]) }),
    chart: { option: (c) => {
      const series = methods.map((method) => line(method, rows.filter((row) => text(row, "method") === method).map((row) => [num(row, "train"), num(row, "are_percent")]).sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0)), { showSymbol: true }));
      if (floor !== null && series[0] !== undefined) series[0].markLine = rule(floor, "noise floor", c, false);
      return chart(c, { name: "share of configurations trained on", format: (x) => percent(x, 0) }, { name: "relative error, %", min: 0, max: undefined }, series,
        { tooltip: axisTip(c, (x) => `trained on ${percent(Number(x), 0)}`, (y) => `${plain(y, 3)} %`) });
    } },
  };
}

function predictedView(document: Doc): View | null {
  const series = docs(document, "predictions").map((one) => {
    const predicted = numbers(one, "predicted");
    return { method: text(one, "method") ?? "?", points: numbers(one, "measured").map((x, i) => [x, predicted[i] ?? NaN]).filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y)) };
  }).filter((one) => one.points.length > 0);
  if (series.length === 0) return null;
  const all = series.flatMap((one) => one.points.map((point) => point[0] ?? 0));
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const log = low > 0 && high / low > 50;
  const response = text(document, "input", "response") ?? "response";
  return {
    title: "Predicted against measured",
    says: "Each point is a configuration the predictor had not seen; on the diagonal the prediction is right. Points that fan out to the right mean errors that grow with the response.",
    numbers: () => ({ columns: ["method", "measured", "predicted"], rows: series.flatMap((one) => one.points.map((point) => [one.method, point[0] ?? null, point[1] ?? null])) }),
    chart: { height: 380, canvas: true, option: (c) => chart(c, { name: `measured ${response}`, log }, { name: "predicted", log }, [
      line("diagonal", [[low, low], [high, high]], { silent: true, lineStyle: { width: 1, color: c.muted } }),
      ...series.map((one, i) => ({ type: "scatter", name: one.method, symbolSize: 6, data: one.points, itemStyle: { color: c.series[i % c.series.length], opacity: 0.7 } }))],
    { tooltip: tooltip(c, { formatter: (item: { seriesName: string; value: number[] }) => tip(item.seriesName, [["measured", plain(item.value[0] ?? 0)], ["predicted", plain(item.value[1] ?? 0)]]) }) }) },
  };
}

function distributionsTable(document: Doc): View | null {
  const rows = docs(document, "distributions").map((one) => [keyText(one.key, "all"), num(one, "configurations"), num(one, "folds"), num(one, "ks_predicted"), num(one, "ks_nearest_neighbour"), num(one, "ks_global")]);
  if (rows.length === 0) return null;
  return tableView("Whole distributions", "Kolmogorov distance between predicted and measured distributions; lower than the nearest neighbour's means the map adds something.",
    { columns: ["map", "configurations", "folds", "ks_predicted", "ks_nearest_neighbour", "ks_global"], rows });
}

// Errors by the labels of --by.
function byTable(document: Doc): View | null {
  const rows = docs(document, "by").map((one) => [keyText(one.key), text(one, "method"), num(one, "train"), num(one, "are_percent"), num(one, "count")]);
  if (rows.length === 0) return null;
  const worst = rows.reduce((a, b) => (Number(b[3] ?? -1) > Number(a[3] ?? -1) ? b : a));
  return tableView("Error by kind of configuration", `Where predictions are good and where they are not: ${String(worst[0])} is worst, ${plain(Number(worst[3]), 3)} % off by ${String(worst[1])}.`,
    { columns: ["configurations", "method", "train", "are_percent", "count"], rows });
}

export function validatePart(document: Doc, source: string): HTMLElement[] {
  const made = [about(document), ...texts(document, "input", "notes").map((note) => notice(note))];
  const failed = docs(document, "results").filter((row) => text(row, "failed") !== null);
  for (const row of failed) made.push(notice(`${text(row, "method") ?? "?"} had no answer somewhere: ${text(row, "failed") ?? ""}`));
  const maps = docs(document, "maps");
  const place = el("div");
  const show = (index: number) => {
    const one = index === 0 ? document : maps[index - 1] ?? {};
    place.replaceChildren(views(source, [["Error", () => errorView(docs(one, "results"), num(one, "noise_floor_percent"))],
      ["Predicted against measured", () => (index === 0 ? predictedView(document) : null)], ["Distributions", () => (index === 0 ? distributionsTable(document) : null)],
      ["By kind", () => (index === 0 ? byTable(document) : null)]]));
  };
  if (maps.length > 1) made.push(choice("Map", ["all maps", ...maps.map((map) => keyText(map.key))], show));
  show(0);
  return [...made, place];
}

// Over one factor: a line.
function lineSliceView(map: Doc, document: Doc): View | null {
  const [xName, response] = [text(document, "x_factor") ?? "x", text(document, "input", "response") ?? "Response"];
  const points = list(map, "x").map((x, i): [string, number | null] => [String(x), num(map, "values", 0, i)]);
  const known = points.filter((one) => one[1] !== null);
  if (known.length === 0) return null;
  const most = known.reduce((a, b) => ((b[1] ?? 0) > (a[1] ?? 0) ? b : a));
  const over = texts(map, "averaged_over");
  return {
    title: `${response} over ${xName}`,
    says: `${keyText(map.key, "All configurations")}: greatest at ${xName} ${most[0]} (${plain(most[1])})${over.length > 0 ? `; mean over ${over.join(", ")}` : ""}.`,
    numbers: () => ({ columns: [xName, "value"], rows: points }),
    chart: { option: (c) => chart(c, { name: xName, words: points.map((one) => one[0]) }, { name: response }, [{ type: "line", name: response, showSymbol: true, symbol: "circle", symbolSize: 6, data: points.map((one) => one[1]) }],
      { tooltip: axisTip(c, (at) => `${xName} ${at}`, (value) => plain(value)) }) },
  };
}

function sliceView(map: Doc, document: Doc): View | null {
  const [x, y] = [list(map, "x").map(String), list(map, "y").map(String)];
  if (y.length === 0) return lineSliceView(map, document);
  const cells: [number, number, number][] = [];
  list(map, "values").forEach((row, j) => list(row).forEach((value, i) => { if (typeof value === "number") cells.push([i, j, value]); }));
  if (cells.length === 0) return null;
  const [xName, yName] = [text(document, "x_factor") ?? "x", text(document, "y_factor") ?? "y"];
  const most = cells.reduce((a, b) => (b[2] > a[2] ? b : a));
  const over = texts(map, "averaged_over");
  return {
    title: `${text(document, "input", "response") ?? "Response"} over ${xName} and ${yName}`,
    says: `${keyText(map.key, "All configurations")}: greatest at ${xName} ${x[most[0]] ?? "?"}, ${yName} ${y[most[1]] ?? "?"} (${plain(most[2])})${over.length > 0 ? `; mean over ${over.join(", ")}` : ""}. Empty cells were not measured.`,
    numbers: () => ({ columns: [xName, yName, "value"], rows: cells.map(([i, j, value]) => [x[i] ?? "", y[j] ?? "", value]) }),
    chart: { canvas: true, height: Math.max(280, 130 + 26 * y.length), option: (c) => heat(c, { name: xName, words: x }, { name: yName, words: y }, cells, (value) => plain(value, 3)) },
  };
}

export function slicePart(document: Doc, source: string): HTMLElement[] {
  const maps = docs(document, "maps");
  const shown = maps.slice(0, 12).map((map): Maker => ["Slice", () => sliceView(map, document)]);
  const rest = maps.length > 12 ? [notice(`${maps.length - 12} more maps are in the result and not shown.`)] : [];
  return [about(document), views(source, shown), ...rest];
}

function convergeView(map: Doc, range: number[]): View | null {
  const byRuns = (field: string) => Object.entries(doc(map, field)).map(([n, value]) => [Number(n), typeof value === "number" ? value : null]).sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0));
  const fields: [string, string][] = [["width_error_percent", "error of the predicted width"], ["width_floor_percent", "floor of the width"], ["low_error_percent", "lower bound"], ["high_error_percent", "upper bound"]];
  const series = fields.map(([field, name]) => ({ name, points: byRuns(field) })).filter((one) => one.points.length > 0);
  if (series.length === 0) return null;
  return {
    title: "Error of predicted confidence intervals",
    says: `How far the interval that is predicted after so many runs is from the one measured, beside what an oracle would be off by. In the mean ${plain(num(map, "mean_n75"), 3)} of ${range[1] ?? "?"} runs bring three quarters of the narrowing, ${plain(num(map, "mean_n90"), 3)} bring nine tenths.`,
    numbers: () => ({ columns: ["what", "runs", "percent"], rows: series.flatMap((one) => one.points.map(([n, value]) => [one.name, n ?? null, value ?? null])) }),
    chart: { option: (c) => chart(c, { name: "runs" }, { name: "relative error, %", min: 0 }, series.map((one) => line(one.name, one.points as (number | null)[][], { showSymbol: true }))) },
  };
}

function runsView(map: Doc): View | null {
  const rows = docs(map, "configurations").map((one) => ({ name: text(one, "configuration") ?? keyText(one.configuration), n75: num(one, "n75"), n90: num(one, "n90"), p75: num(one, "predicted_n75"), p90: num(one, "predicted_n90") }));
  if (rows.length === 0) return null;
  const sorted = (field: "n75" | "n90") => rows.map((row) => row[field]).filter((value): value is number => value !== null).sort((a, b) => a - b);
  const never = rows.filter((row) => row.n90 === null).length;
  const share = (values: number[]) => values.map((value, i) => [value, (i + 1) / rows.length]);
  return {
    title: "Runs until the interval has converged",
    says: `The share of ${count(rows.length)} configurations whose confidence interval has narrowed by 75 % and by 90 % of what it will, after so many runs${never > 0 ? `; ${count(never)} of them never within the runs there are` : ""}.`,
    numbers: () => ({ columns: ["configuration", "n75", "n90", "predicted_n75", "predicted_n90"], rows: rows.map((row) => [row.name, row.n75, row.n90, row.p75, row.p90]) }),
    chart: { option: (c) => chart(c, { name: "runs" }, { name: "share of configurations", min: 0, max: 1 }, [line("75 % narrowed", share(sorted("n75")), { step: "end" }), line("90 % narrowed", share(sorted("n90")), { step: "end" })],
      { tooltip: axisTip(c, (x) => `${count(Number(x))} runs`, (y) => percent(y)) }) },
  };
}

function askedView(map: Doc): View | null {
  const rows = docs(map, "predictions").map((one) => [keyText(one.configuration), num(one, "n75"), num(one, "n90"), num(one, "n75_s"), num(one, "n90_s")]);
  if (rows.length === 0) return null;
  return tableView("Runs that other configurations will need", "What the map expects where nothing was measured: runs until the interval has narrowed by 75 % and by 90 % of what it will.",
    { columns: ["configuration", "n75", "n90", "n75_s", "n90_s"], rows });
}

export function convergePart(document: Doc, source: string): HTMLElement[] {
  const maps = docs(document, "maps");
  const place = el("div");
  const show = (index: number) => {
    const map = maps[index] ?? {};
    place.replaceChildren(...texts(map, "notes").map((note) => notice(note)), views(source, [["Runs", () => runsView(map)], ["Intervals", () => convergeView(map, numbers(document, "range_runs"))],
      ["Asked", () => askedView(map)]]));
  };
  const made = [about(document)];
  if (maps.length > 1) made.push(choice("Map", maps.map((map) => keyText(map.key)), show));
  show(0);
  return [...made, place];
}

function anovaView(map: Doc): View | null {
  const effects = docs(map, "effects");
  if (effects.length === 0) return null;
  const name = (one: Doc) => texts(one, "factors").join(" × ");
  const sorted = [...effects].sort((a, b) => (num(b, "eta_squared") ?? 0) - (num(a, "eta_squared") ?? 0)).slice(0, 25);
  const fields = ["sum_of_squares", "degrees_of_freedom", "f", "p_value", "eta_squared", "partial_eta_squared", "omega_squared"];
  return {
    title: "What moves the response",
    says: `Share of the variation that each factor and combination explains; together ${percent(num(map, "explained"))}. ${name(sorted[0] ?? {})} matters most (${percent(num(sorted[0], "eta_squared"))}).`,
    numbers: () => ({ columns: ["factors", ...fields], rows: effects.map((one) => [name(one), ...fields.map((field) => num(one, field))]) }),
    chart: { height: Math.max(220, 90 + 22 * sorted.length), option: (c) => chart(c, { name: "share of variation (η²)", min: 0, format: (x) => percent(x, 0) }, { name: "", words: sorted.map(name), inverse: true },
      [{ type: "bar", barMaxWidth: 16, data: sorted.map((one) => num(one, "eta_squared")), itemStyle: { color: c.series[0] } }]) },
  };
}

export function anovaPart(document: Doc, source: string): HTMLElement[] {
  return [about(document), ...docs(document, "maps").flatMap((map) => texts(map, "notes")).map((note) => notice(note)),
    views(source, docs(document, "maps").slice(0, 12).map((map): Maker => [keyText(map.key), () => anovaView(map)]))];
}

export function mapFitPart(document: Doc, source: string): HTMLElement[] {
  const rows = docs(document, "maps").map((one) => [keyText(one.key, "all"), num(one, "configurations"), text(one, "method"), text(one, "scaling")]);
  return [about(document), facts([["model", text(document, "model")]]), rows.length === 0 ? notice("The result holds no maps: nothing was fitted.", "problem")
    : views(source, [["Maps", () => tableView("Fitted maps", "What is in the file of the model: weir map predict answers from it.", { columns: ["map", "configurations", "method", "scaling"], rows })]])];
}

function predictionsTable(document: Doc): View | null {
  const rows = docs(document, "predictions").map((one) => [keyText(one.configuration), num(one, "value"), num(one, "low"), num(one, "high"), flag(one, "outside")]);
  if (rows.length === 0) return null;
  return tableView("Predictions", `What the map expects, with its ${percent(num(document, "level"), 0)} interval; “outside” means beyond the measured configurations: trust it less.`,
    { columns: ["configuration", "value", "low", "high", "outside"], rows }, undefined, true);
}

function quantileCurves(document: Doc): View | null {
  const all = docs(document, "distributions").filter((one) => list(one, "quantile").length > 1).slice(0, 8);
  if (all.length === 0) return null;
  return {
    title: "Predicted distributions", says: "The whole distribution that the map expects at each configuration: its middle and its tails.",
    numbers: () => ({ columns: ["configuration", "probability", "quantile", "low", "high"], rows: all.flatMap((one) => numbers(one, "probability").map((p, i) => [keyText(one.configuration), p, numbers(one, "quantile")[i] ?? null, numbers(one, "low")[i] ?? null, numbers(one, "high")[i] ?? null])) }),
    chart: { option: (c) => chart(c, { name: text(document, "response") ?? "value" }, { name: "share of runs", min: 0, max: 1 }, all.map((one) => line(keyText(one.configuration), numbers(one, "quantile").map((x, i) => [x, numbers(one, "probability")[i] ?? null])))) },
  };
}

export function predictPart(document: Doc, source: string): HTMLElement[] {
  return [about(document), views(source, [["Predictions", () => predictionsTable(document)], ["Distributions", () => quantileCurves(document)]])];
}

function proposalsTable(map: Doc): View | null {
  const rows = docs(map, "proposals").map((one, i) => [i + 1, keyText(one.configuration), flag(one, "measured_before"), num(one, "runs"), num(one, "expected_error_percent")]);
  if (rows.length === 0) return null;
  return tableView("What to measure next", `In this order; the expected error goes from ${plain(num(map, "expected_error_percent"), 3)} % to ${plain(num(map, "expected_error_after_percent"), 3)} %.`,
    { columns: ["step", "configuration", "measured_before", "runs", "expected_error_percent"], rows }, undefined, true);
}

export function proposePart(document: Doc, source: string): HTMLElement[] {
  return [about(document), views(source, docs(document, "maps").map((map): Maker => [keyText(map.key), () => proposalsTable(map)]))];
}
