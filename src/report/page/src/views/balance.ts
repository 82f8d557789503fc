// weir.interfere-balance/1: how evenly a storage's targets are used, and what that costs.
import { choice, el, facts, notice } from "../lib/dom";
import { bytes, count, greatest, plain, seconds, shortName } from "../lib/format";
import { axisTip, byteInterval, chart, line, tip, tooltip } from "../lib/option";
import { docs, flag, list, num, numbers, text, texts } from "../lib/value";
import type { Doc } from "../lib/value";
import { tableView, views } from "../lib/view";
import type { View } from "../lib/view";

function placementsView(document: Doc): View | null {
  const placements = docs(document, "placements").filter((one) => num(one, "runtime_s") !== null);
  if (placements.length === 0) return null;
  const fields: [string, string][] = [["run time", "runtime_s"], ["between first and last process", "spread_s"]];
  const less = num(document, "spread_reduction_percent");
  return {
    title: "Placements compared",
    says: `How long a run takes, and how far apart its first and last process end, medians. ${less === null ? "Processes that end together waste nothing."
      : less > 0 ? `Balanced placement brings the processes' ends ${plain(less, 3)} % closer together.` : "Balanced placement does not bring the processes' ends closer together here."}`,
    numbers: () => ({ columns: ["placement", "runs", "disturbed", "runtime_s", "spread_s", "tail_share", "imbalance_percent"],
      rows: placements.map((one) => [text(one, "placement"), ...["runs", "disturbed", "runtime_s", "spread_s", "tail_share", "imbalance_percent"].map((field) => num(one, field))]) }),
    chart: { height: Math.max(220, 120 + 46 * placements.length), option: (c) => chart(c, { name: "seconds", min: 0, format: (x) => seconds(x) }, { name: "", words: placements.map((one) => text(one, "placement") ?? "?"), inverse: true },
      fields.map(([name, field], i) => ({ type: "bar", name, barMaxWidth: 18, itemStyle: { color: c.series[i] }, data: placements.map((one) => num(one, field)) })),
      { tooltip: tooltip(c, { formatter: (item: { seriesName: string; name: string; value: number }) => tip(item.name, [[item.seriesName, seconds(item.value)]]) }) }) },
  };
}

function targetsView(run: Doc): View | null {
  const targets = docs(run, "targets");
  if (targets.length === 0) return null;
  const slow = targets.filter((one) => flag(one, "straggler") === true).map((one) => shortName(text(one, "name") ?? "?"));
  const rows = targets.map((one) => [text(one, "name"), num(one, "bytes"), num(one, "end_s"), num(one, "bytes_per_second"), flag(one, "straggler")]);
  return tableView("Targets", slow.length === 0 ? "No target ends long after the others." : `${slow.join(", ")}: all wait for what ends last.`,
    { columns: ["target", "bytes", "ends after", "speed", "straggler"], rows: targets.map((one) => [shortName(text(one, "name") ?? "?", 60), bytes(num(one, "bytes")), seconds(num(one, "end_s")), `${bytes(num(one, "bytes_per_second"))}/s`, flag(one, "straggler")]) },
    { columns: ["target", "bytes", "end_s", "bytes_per_second", "straggler"], rows });
}

// `names` are those of all targets: a run's own list leaves out those to which nothing was written.
function targetSlicesView(run: Doc, names: string[]): View | null {
  const begin = numbers(run, "begin_ns");
  const start = begin[0] ?? 0;
  const series = list(run, "written_bytes").map((_, i) => ({ name: shortName(names[i] ?? `target ${i}`), values: numbers(run, "written_bytes", i) }));
  if (begin.length === 0 || series.length === 0) return null;
  const tail = num(run, "tail_share") ?? 0;
  return {
    title: "Targets over time",
    says: `What each target wrote in slices of ${seconds((num(run, "slice_ns") ?? 0) / 1e9)}: ${tail > 0 ? `${plain(100 * tail, 3)} % of the bytes were written when only some of them were still at work` : "all of them were at work to the end"}.`,
    wide: true,
    numbers: () => ({ columns: ["begin_ns", ...series.map((one) => one.name)], rows: begin.map((time, i) => [time, ...series.map((one) => one.values[i] ?? null)]) }),
    chart: { canvas: true, option: (c) => chart(c, { name: "seconds since the first slice", format: (x) => seconds(x) },
      { name: "bytes in a slice", min: 0, format: (y) => bytes(y), interval: byteInterval(greatest(series.flatMap((one) => one.values))) },
      series.map((one) => line(one.name, begin.map((time, i) => [(time - start) / 1e9, one.values[i] ?? null]), { step: "end" })),
      { tooltip: axisTip(c, (x) => seconds(Number(x)), (y) => bytes(y)) }) },
  };
}

// Of runs, or of counters that somebody else has taken.
export function balancePart(document: Doc, source: string): HTMLElement[] {
  const runs = docs(document, "runs");
  const alone = docs(document, "targets");
  const names = alone.length > 0 ? alone.map((one) => text(one, "name") ?? "?") : texts(document, "targets");
  const made: HTMLElement[] = [facts([["storage", text(document, "storage")], ["targets", count(names.length)],
    ["processes", num(document, "processes") === null ? null : count(num(document, "processes"))], ["bytes of each", num(document, "size_bytes") === null ? null : bytes(num(document, "size_bytes"))]])];
  if (runs.length === 0 && alone.length === 0) return [...made, notice("The result holds no runs: nothing was measured.", "problem")];
  if (runs.length > 0) made.push(views(source, [["Placements", () => placementsView(document)]]));
  const place = el("div", {});
  const show = (index: number) => place.replaceChildren(views(source, [["Targets over time", () => targetSlicesView(runs[index] ?? document, names)], ["Targets", () => targetsView(runs[index] ?? document)]]));
  if (runs.length > 1) made.push(choice("Run", runs.map((one, i) => `${i + 1}, ${text(one, "placement") ?? "?"}`), show));
  show(0);
  return [...made, place];
}
