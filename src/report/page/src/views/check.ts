// weir.check/1: which consistency the program needs.
import { el, facts, notice } from "../lib/dom";
import { bytes, count, many, seconds, shortName } from "../lib/format";
import { chart, heat, tip, tooltip } from "../lib/option";
import { docs, flag, num, text, texts } from "../lib/value";
import type { Doc, Json } from "../lib/value";
import { tableView, views } from "../lib/view";
import type { View } from "../lib/view";

const conflictKinds: [string, string][] = [["waw_s", "WAW-S"], ["waw_d", "WAW-D"], ["raw_s", "RAW-S"], ["raw_d", "RAW-D"]];

function conflicts(model: Doc): number {
  return conflictKinds.reduce((sum, [kind]) => sum + (num(model, "conflicts", kind) ?? 0), 0);
}

function verdict(document: Doc): HTMLElement {
  const weakest = text(document, "weakest_model");
  const races = num(document, "races") ?? 0;
  const asked = text(document, "asked", "name");
  const words = weakest !== null
    ? `The weakest model that is enough is ${weakest}: a file system that promises no more gives the same results.`
    : races > 0 ? `${many(races, "pair")} of accesses race: nothing in the program orders them, so no model is enough.`
      : "No model of those tried is enough.";
  const answer = asked === null ? "" : ` ${asked} is ${flag(document, "asked", "sufficient") === true ? "enough" : "not enough"}.`;
  return el("p", { class: weakest === null ? "verdict bad" : "verdict good" }, words + answer);
}

function modelsView(document: Doc): View | null {
  const models = docs(document, "models");
  if (models.length === 0) return null;
  const names = models.map((model) => text(model, "name") ?? "?");
  return {
    title: "Conflicts under each model",
    says: `From strong to weak: what would read or leave other bytes than on a strict file system, counted in ${text(document, "counting") ?? "accesses"}: writes (WAW) and reads (RAW) after a write, by the same process (S) or by a different one (D). A model without conflicts is enough.`,
    numbers: () => ({
      columns: ["model", "sufficient", ...conflictKinds.map(([kind]) => kind)],
      rows: models.map((model) => [text(model, "name"), flag(model, "sufficient"), ...conflictKinds.map(([kind]) => num(model, "conflicts", kind))]),
    }),
    chart: { height: 300, option: (c) => chart(c, { name: "model", words: names.map((name, i) => `${name} ${flag(models[i], "sufficient") === true ? "✓" : "✗"}`) }, { name: "conflicts", min: 0 },
      conflictKinds.map(([kind, says], i) => ({ type: "bar", stack: "all", name: says, barMaxWidth: 48, itemStyle: { color: c.series[i] }, data: models.map((model) => num(model, "conflicts", kind)) })),
      { tooltip: tooltip(c, { formatter: (item: { dataIndex: number }) => tip(names[item.dataIndex] ?? "", conflictKinds.map(([kind, says]) => [says, count(num(models[item.dataIndex], "conflicts", kind))])) }) }) },
  };
}

function filesView(document: Doc): View | null {
  const files = docs(document, "files");
  if (files.length === 0) return null;
  const models = docs(document, "models").map((model) => text(model, "name") ?? "?");
  const of = (file: Doc, model: string) => docs(file, "models").find((one) => text(one, "name") === model);
  const mark = (file: Doc, model: string) => {
    const one = of(file, model);
    return one === undefined ? "–" : flag(one, "sufficient") === true ? "✓ enough" : conflicts(one) > 0 ? `✗ ${count(conflicts(one))}` : "✗ races";
  };
  const needy = files.filter((file) => text(file, "weakest_model") !== "eventual").length;
  return tableView("Verdict for each file and model", needy === 0 ? "Every file that is written would do with the weakest model." : `${many(needy, "file needs", "files need")} more than the weakest model; a policy by file (weir check --policy) lets the others be fast.`,
    { columns: ["file", "writers", "readers", "written", "read", "races", "weakest", ...models], rows: files.map((file) => [shortName(text(file, "name") ?? "?", 60), count(num(file, "writers")), count(num(file, "readers")), bytes(num(file, "written_bytes")), bytes(num(file, "read_bytes")), count(num(file, "races")), text(file, "weakest_model") ?? "none", ...models.map((model) => mark(file, model))]) },
    { columns: ["file", "writers", "readers", "written_bytes", "read_bytes", "races", "weakest_model", ...models.map((model) => `conflicts_${model}`)],
      rows: files.map((file) => [text(file, "name"), num(file, "writers"), num(file, "readers"), num(file, "written_bytes"), num(file, "read_bytes"), num(file, "races"), text(file, "weakest_model"), ...models.map((model) => conflicts(of(file, model) ?? {}))]) }, true);
}

function who(value: Json | undefined): string {
  const rank = num(value, "rank");
  const program = num(value, "program");
  return `${rank === null ? `process ${num(value, "process") ?? "?"}` : `rank ${rank}`}${program === null ? "" : ` of program ${program}`}`;
}

function pairsView(document: Doc): View | null {
  const pairs = docs(document, "files").flatMap((file) => docs(file, "pairs").map((pair) => ({ file, pair })));
  if (pairs.length === 0) return null;
  const label = (side: "first" | "second") => [...new Set(pairs.map(({ pair }) => who(pair[side])))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const [first, second] = [label("first"), label("second")];
  const sums = new Map<string, number>();
  for (const { pair } of pairs) {
    const key = `${second.indexOf(who(pair.second))},${first.indexOf(who(pair.first))}`;
    sums.set(key, (sums.get(key) ?? 0) + (num(pair, "overlaps") ?? 0));
  }
  const cells = [...sums].map(([key, value]): [number, number, number] => [Number(key.split(",")[0]), Number(key.split(",")[1]), value]);
  const small = first.length <= 64 && second.length <= 64;
  const numbers = () => ({
    columns: ["file", "first", "second", "overlaps", "races", "models"],
    rows: pairs.map(({ file, pair }) => [text(file, "name"), who(pair.first), who(pair.second), num(pair, "overlaps"), num(pair, "races"), texts(pair, "models").join(" ")]),
  });
  const says = "Which process writes bytes that which other one then touches, in overlapping pairs. A full square is all against all; one row is one writer for everybody.";
  if (!small) return tableView("Who conflicts with whom", says, numbers());
  return { title: "Who conflicts with whom", says, numbers,
    chart: { height: Math.max(240, 120 + 26 * Math.min(20, first.length)), option: (c) => heat(c, { name: "touched after by", words: second }, { name: "written by", words: first, inverse: true }, cells, (value) => count(value), null, cells.length <= 100) } };
}

function examplesView(document: Doc): View | null {
  const rows = docs(document, "files").flatMap((file) => docs(file, "examples").map((one) => [shortName(text(file, "name") ?? "?"), text(one, "kind"), who(one.first), text(one, "first", "call"), seconds(num(one, "first", "start_s")),
    who(one.second), text(one, "second", "call"), seconds(num(one, "second", "start_s")), texts(one, "models").join(" ")]));
  if (rows.length === 0) return null;
  return tableView("Conflicting calls", "Examples, with the calls as they were made: where to look in the program.",
    { columns: ["file", "kind", "first", "call", "at", "second", "call", "at", "under"], rows }, undefined, true);
}

function adviceView(document: Doc): View | null {
  const advice = docs(document, "advice");
  if (advice.length === 0) return null;
  return tableView("Where to commit", `What would make ${text(advice[0], "model") ?? "the next weaker model"} enough: the place after the write and before the call that lets the reader go.`,
    { columns: ["file", "what", "pairs", "how"], rows: advice.map((one) => [shortName(text(one, "file") ?? "?"), text(one, "what"), num(one, "pairs"), texts(one, "text").join("; ")]) },
    { columns: ["model", "file", "what", "pairs", "after", "before", "how"], rows: advice.map((one) => [text(one, "model"), text(one, "file"), text(one, "what"), num(one, "pairs"), text(one, "after", "call"), text(one, "before", "call"), texts(one, "text").join("; ")]) }, true);
}

function namesView(document: Doc): View | null {
  const examples = docs(document, "metadata", "examples");
  if (examples.length === 0) return null;
  const all = num(document, "metadata", "dependencies") ?? examples.length;
  const races = num(document, "metadata", "races") ?? 0;
  return tableView("Names that others rely on", `${many(all, "name is", "names are")} made, renamed or removed by one process and used by another${all > examples.length ? `; ${count(examples.length)} are shown` : ""}. `
    + (races > 0 ? `${many(races, "of them has", "of them have")} nothing that orders the two: whether the name is there is chance.` : "The program orders them: a file system must show the new name by then, whatever the model says of bytes."),
  { columns: ["changed by", "call", "relied on by", "call", "race"], rows: examples.map((one) => [who(one.change), text(one, "change", "call"), who(one.use), text(one, "use", "call"), flag(one, "race")]) }, undefined, true);
}

export function checkPart(document: Doc, source: string): HTMLElement[] {
  const proven = flag(document, "order", "proven");
  const made: HTMLElement[] = [
    verdict(document),
    facts([["accesses", count(num(document, "accesses"))], ["races", count(num(document, "races"))],
      ["order", proven === null ? null : proven ? "proven from MPI and program order" : "by time stamps where nothing else tells"],
      ["names that others rely on", num(document, "metadata", "dependencies") === null ? null : count(num(document, "metadata", "dependencies"))]]),
  ];
  for (const note of texts(document, "notes")) made.push(notice(note));
  if (docs(document, "models").length === 0) made.push(notice("The result tells of no model.", "problem"));
  return [...made, views(source, [["Models", () => modelsView(document)], ["Pairs", () => pairsView(document)], ["Files", () => filesView(document)],
    ["Where to commit", () => adviceView(document)], ["Conflicting calls", () => examplesView(document)], ["Names", () => namesView(document)]])];
}
