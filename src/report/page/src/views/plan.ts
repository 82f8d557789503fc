// weir.plan/1: how many runs the quantiles need.
import { choice, el, facts, notice } from "../lib/dom";
import { count, plain } from "../lib/format";
import { axisTip, chart, line, rule } from "../lib/option";
import { doc, docs, flag, keyText, num, text, texts } from "../lib/value";
import type { Doc } from "../lib/value";
import { views } from "../lib/view";
import type { View } from "../lib/view";

// Errors fall with the root of the number of runs: between two numbers of the table the curve is straight over 1/√n.
function smooth(points: [number, number][]): number[][] {
  const made: number[][] = [];
  points.forEach(([n, value], i) => {
    made.push([n, value]);
    const next = points[i + 1];
    if (next === undefined || next[0] <= n) return;
    const [from, to] = [1 / Math.sqrt(n), 1 / Math.sqrt(next[0])];
    for (let k = 1; k < 12; ++k) {
      const at = n * (next[0] / n) ** (k / 12);
      made.push([at, value + ((next[1] - value) * (1 / Math.sqrt(at) - from)) / (to - from)]);
    }
  });
  return made;
}

function gammaView(group: Doc, precision: number | null): View | null {
  const table = docs(group, "table").filter((row) => num(row, "n") !== null);
  const names = [...new Set(table.flatMap((row) => Object.keys(doc(row, "gamma"))))].sort((a, b) => Number(a) - Number(b));
  if (table.length === 0 || names.length === 0) return null;
  const chosen = num(group, "independent_runs");
  const runs = num(group, "runs");
  const ns = table.map((row) => num(row, "n") ?? NaN);
  return {
    title: "Precision of the quantiles against the number of runs",
    says: chosen === null ? "Γ is the relative error that a quantile still has after n runs; no number of runs reaches what was asked for."
      : `Γ is the relative error that a quantile still has after n runs. ${count(chosen)} independent runs bring all of them within ±${plain(precision)}`
        + `${runs !== null && runs !== chosen ? `; as these runs depend on each other, ${count(runs)} real ones do` : ""}.`,
    numbers: () => ({
      columns: ["n", ...names.map((name) => `gamma_${name}`)],
      rows: table.map((row) => [num(row, "n"), ...names.map((name) => num(row, "gamma", name))]),
    }),
    chart: {
      option: (c) => {
        const points = (name: string) => table.flatMap((row): [number, number][] => {
          const [n, value] = [num(row, "n"), num(row, "gamma", name)];
          return n === null || value === null ? [] : [[n, value]];
        }).sort((a, b) => a[0] - b[0]);
        const series = names.map((name) => line(`quantile ${name}`, smooth(points(name))));
        const first = series[0];
        if (first !== undefined) {
          const lines = [
            ...(precision === null ? [] : [rule(precision, `+${precision}`, c, false), rule(-precision, `−${precision}`, c, false, false)]),
            ...(chosen === null || chosen < Math.min(...ns) ? [] : [rule(chosen, `${count(chosen)} runs`, c, true)]),
          ];
          first.markLine = { ...lines[0], data: lines.flatMap((one) => (one.data as Doc[]).map((at) => ({ ...at, label: one.label }))) };
        }
        return chart(c, { name: "independent runs", log: true, format: (x) => count(x), min: Math.min(...ns), max: Math.max(...ns, chosen ?? 0) },
          { name: "Γ" }, series, { tooltip: axisTip(c, (x) => `${count(Number(x))} runs`, (y) => plain(y)) });
      },
    },
  };
}

function quantileTable(group: Doc): View | null {
  const rows = docs(group, "quantiles").map((one) => [num(one, "q"), num(one, "quantile"), num(one, "model_low"), num(one, "model_high"),
    num(one, "gamma_now"), num(one, "runs"), num(one, "sample_quantile"), num(one, "sample_low"), num(one, "sample_high"), num(one, "runs_without_model"), flag(one, "model_agrees")]);
  if (rows.length === 0) return null;
  const numbers = { columns: ["q", "model", "low", "high", "gamma_now", "runs", "sample", "sample_low", "sample_high", "runs_without_model", "model_agrees"], rows };
  const trusted = flag(group, "model_trusted");
  return {
    title: "Quantiles by model and by sample",
    says: trusted === false ? "The model and the sample disagree somewhere: count on the runs that need no model."
      : "Where the model agrees with the sample, it saves the runs between the two columns “runs” and “runs_without_model”.",
    numbers: () => numbers,
    shown: numbers,
    wide: true,
  };
}

function groupViews(group: Doc, precision: number | null, source: string): HTMLElement {
  const made = el("div");
  const skipped = text(group, "skipped");
  if (skipped !== null) {
    made.append(notice(`No plan for this group: ${skipped}`, "problem"));
    return made;
  }
  made.append(views(source, [["Precision", () => gammaView(group, precision)], ["Quantiles", () => quantileTable(group)]]));
  if (flag(group, "dependence", "dependent") === true)
    made.append(notice(`Runs depend on those before them (correlation ${plain(num(group, "dependence", "lag_1"), 2)}): ${count(num(group, "n"))} runs tell as much as ${count(num(group, "dependence", "effective_n"))} independent ones.`));
  for (const note of texts(group, "notes")) made.append(notice(note));
  return made;
}

export function planPart(document: Doc, source: string): HTMLElement[] {
  const groups = docs(document, "groups");
  const precision = num(document, "options", "precision");
  const made: HTMLElement[] = [facts([
    ["samples", text(document, "input", "source")], ["column", text(document, "input", "column")],
    ["precision", precision === null ? null : plain(precision)],
    ["seed", num(document, "options", "seed") === null ? null : String(num(document, "options", "seed"))],
  ])];
  if (groups.length === 0) return [...made, notice("The result holds no groups: nothing was planned.", "problem")];
  const place = el("div", {});
  const show = (index: number) => place.replaceChildren(groupViews(groups[index] ?? {}, precision, source));
  if (groups.length > 1) made.push(choice("Group", groups.map((group) => keyText(group.key)), show));
  show(0);
  return [...made, place];
}
