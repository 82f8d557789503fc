// weir.patterns/1: how files are accessed.
import { facts, notice } from "../lib/dom";
import { bytes, count, percent, shortName } from "../lib/format";
import { chart, tip, tooltip } from "../lib/option";
import { doc, docs, num, text } from "../lib/value";
import type { Doc } from "../lib/value";
import { tableView, views } from "../lib/view";
import type { View } from "../lib/view";

function sharesView(document: Doc): View | null {
  const names: [string, string][] = [["local", "for each process"], ["global", "for the file system"]];
  const shapes = ["consecutive", "monotonic", "random"];
  const sum = (where: string) => shapes.reduce((all, shape) => all + (num(document, where, shape) ?? 0), 0);
  if (sum("local") + sum("global") === 0) return null;
  const share = (where: string, shape: string) => (sum(where) > 0 ? (num(document, where, shape) ?? 0) / sum(where) : null);
  const [local, global] = [share("local", "random") ?? 0, share("global", "random") ?? 0];
  return {
    title: "How accesses follow each other",
    says: `${percent(share("local", "consecutive"))} of each process's accesses begin where its last one ended; `
      + (global > local + 0.1 ? "the file system sees them mixed, and so far more random ones: aggregation (collective I/O) would pay." : "the file system sees them much the same."),
    numbers: () => ({ columns: ["view", ...shapes], rows: names.map(([where]) => [where, ...shapes.map((shape) => num(document, where, shape))]) }),
    chart: { height: 220, option: (c) => chart(c, { name: "share of accesses", min: 0, max: 1, format: (x) => percent(x, 0) }, { name: "", words: names.map((one) => one[1]), inverse: true },
      shapes.map((shape, i) => ({ type: "bar", stack: "all", name: shape, barMaxWidth: 34, itemStyle: { color: [c.series[2], c.series[0], c.series[1]][i] }, data: names.map(([where]) => share(where, shape)) })),
      { tooltip: tooltip(c, { formatter: (item: { seriesName: string; value: number }) => tip(item.seriesName, [["share", percent(item.value)]]) }) }) },
  };
}

function sizesView(document: Doc): View | null {
  const kinds: [string, Doc][] = [["reads", doc(document, "reads")], ["writes", doc(document, "writes")]];
  const from = [...new Set(kinds.flatMap(([, one]) => docs(one, "bins").map((bin) => num(bin, "from_bytes") ?? 0)))].sort((a, b) => a - b);
  if (from.length === 0) return null;
  const value = (one: Doc, edge: number) => num(docs(one, "bins").find((bin) => num(bin, "from_bytes") === edge), "count");
  const small = kinds.map(([name, one]) => `${name}: ${bytes((num(one, "count") ?? 0) > 0 ? (num(one, "bytes") ?? 0) / (num(one, "count") ?? 1) : null)} in the mean`);
  return {
    title: "Sizes of requests",
    says: `Requests by their size, in powers of two; ${small.join(", ")}. Many small ones cost a parallel file system more than few large ones.`,
    numbers: () => ({ columns: ["from_bytes", "reads", "writes"], rows: from.map((edge) => [edge, ...kinds.map(([, one]) => value(one, edge))]) }),
    chart: { height: 260, option: (c) => chart(c, { name: "bytes of a request, from", words: from.map((edge) => bytes(edge)) }, { name: "requests", min: 0, format: (y) => count(y) },
      kinds.map(([name, one], i) => ({ type: "bar", name, itemStyle: { color: c.series[i] }, data: from.map((edge) => value(one, edge)) })),
      { tooltip: tooltip(c, { formatter: (item: { seriesName: string; name: string; value: number }) => tip(item.seriesName, [["from", item.name], ["requests", count(item.value)]]) }) }) },
  };
}

function groupsView(document: Doc): View | null {
  const groups = docs(document, "groups");
  if (groups.length === 0) return null;
  return tableView("Who accesses how many files", "X-Y: how many processes (N all, M some, 1 one) share how many files, and the shape in which they do.",
    { columns: ["files", "how many", "access", "processes", "X-Y", "shape", "bytes"], rows: groups.map((one) => [shortName(text(one, "name") ?? "?", 60), num(one, "files"), text(one, "access"), num(one, "processes"), text(one, "pattern"), text(one, "shape"), bytes(num(one, "bytes"))]) },
    { columns: ["name", "files", "access", "processes", "pattern", "shape", "bytes"], rows: groups.map((one) => [text(one, "name"), num(one, "files"), text(one, "access"), num(one, "processes"), text(one, "pattern"), text(one, "shape"), num(one, "bytes")]) }, true);
}

function filesView(document: Doc): View | null {
  const files = docs(document, "files");
  if (files.length === 0) return null;
  const shapes = ["consecutive", "monotonic", "random"];
  const share = (one: Doc, where: string, shape: string) => {
    const all = shapes.reduce((sum, name) => sum + (num(one, where, name) ?? 0), 0);
    return all > 0 ? percent((num(one, where, shape) ?? 0) / all, 0) : "–";
  };
  const mean = (one: Doc) => ((num(one, "sizes", "count") ?? 0) > 0 ? (num(one, "sizes", "bytes") ?? 0) / (num(one, "sizes", "count") ?? 1) : null);
  const strided = files.filter((one) => num(one, "stride", "stride_bytes") !== null).length;
  return tableView("Each file", `How each file is accessed, by its processes one by one and by all of them as the file system sees it. ${strided === 0 ? "None has a stride." : `${count(strided)} of ${count(files.length)} have a stride: blocks of the same length at the same distance.`}`,
    { columns: ["file", "access", "processes", "requests", "mean size", "in a row, each process", "in a row, all", "random, all", "stride"], rows: files.map((one) => [shortName(text(one, "name") ?? "?", 60), text(one, "access"), num(one, "processes"), num(one, "sizes", "count"), bytes(mean(one)),
      share(one, "local", "consecutive"), share(one, "global", "consecutive"), share(one, "global", "random"), num(one, "stride", "stride_bytes") === null ? "–" : `${bytes(num(one, "stride", "length_bytes"))} every ${bytes(num(one, "stride", "stride_bytes"))}`]) },
    { columns: ["file", "access", "processes", "requests", "bytes", ...shapes.map((shape) => `local_${shape}`), ...shapes.map((shape) => `global_${shape}`), "stride_bytes", "stride_length_bytes"],
      rows: files.map((one) => [text(one, "name"), text(one, "access"), num(one, "processes"), num(one, "sizes", "count"), num(one, "sizes", "bytes"), ...shapes.map((shape) => num(one, "local", shape)), ...shapes.map((shape) => num(one, "global", shape)),
        num(one, "stride", "stride_bytes"), num(one, "stride", "length_bytes")]) }, true);
}

function metadataView(document: Doc): View | null {
  const metadata = docs(document, "metadata");
  if (metadata.length === 0) return null;
  const makers = [...new Set(metadata.map((one) => text(one, "made_by") ?? "?"))];
  const sums = new Map<string, number>();
  for (const one of metadata) sums.set(text(one, "function") ?? "?", (sums.get(text(one, "function") ?? "?") ?? 0) + (num(one, "calls") ?? 0));
  const functions = [...sums].sort((a, b) => b[1] - a[1]).slice(0, 25).map(([name]) => name);
  return {
    title: "Metadata operations",
    says: "Calls that move no data, by who made them: what a file system would have to keep fast, or may leave out.",
    numbers: () => ({ columns: ["function", "layer", "made_by", "calls"], rows: metadata.map((one) => [text(one, "function"), text(one, "layer"), text(one, "made_by"), num(one, "calls")]) }),
    chart: { height: Math.max(220, 90 + 20 * functions.length), option: (c) => chart(c, { name: "calls", min: 0, format: (x) => count(x) }, { name: "", words: functions, inverse: true },
      makers.map((maker, i) => ({ type: "bar", stack: "all", name: `by ${maker}`, barMaxWidth: 16, itemStyle: { color: c.series[i % c.series.length] },
        data: functions.map((name) => metadata.filter((one) => text(one, "function") === name && text(one, "made_by") === maker).reduce((sum, one) => sum + (num(one, "calls") ?? 0), 0)) }))) },
  };
}

export function patternsPart(document: Doc, source: string): HTMLElement[] {
  const made: HTMLElement[] = [facts([["processes", count(num(document, "processes"))], ["accesses", count(num(document, "accesses"))]])];
  if ((num(document, "accesses") ?? 0) === 0) made.push(notice("The trace holds no accesses to files.", "problem"));
  return [...made, views(source, [["Who accesses how many files", () => groupsView(document)], ["Sequences", () => sharesView(document)], ["Sizes", () => sizesView(document)], ["Metadata", () => metadataView(document)],
    ["Each file", () => filesView(document)]])];
}
