// weir.fs-stats/1, weir.fs-status/1, weir.run/1: the burst-buffer file system.
import { el, facts, notice } from "../lib/dom";
import { bytes, count, many, percent, seconds, shortName } from "../lib/format";
import { byteInterval, chart, tip, tooltip } from "../lib/option";
import { doc, docs, flag, isDoc, list, num, text } from "../lib/value";
import type { Doc } from "../lib/value";
import { tableView, views } from "../lib/view";
import type { View } from "../lib/view";

function pairs(of: Doc): [string, number][] {
  return Object.entries(of).filter((one): one is [string, number] => typeof one[1] === "number");
}

function bars(title: string, says: string, rows: [string, number][], unit: string, format: (value: number) => string, column: string): View | null {
  if (rows.length === 0) return null;
  return {
    title, says,
    numbers: () => ({ columns: ["what", column], rows }),
    chart: { height: Math.max(200, 80 + 24 * rows.length), option: (c) => chart(c, { name: unit, min: 0, format, interval: unit.startsWith("bytes") ? byteInterval(Math.max(...rows.map((one) => one[1]))) : undefined }, { name: "", words: rows.map((one) => one[0]), inverse: true },
      [{ type: "bar", barMaxWidth: 18, data: rows.map((one) => one[1]), itemStyle: { color: c.series[0] }, label: { show: true, position: "right", color: c.muted, formatter: (item: { value: number }) => format(item.value) } }],
      { grid: { left: 8, right: 70, top: 12, bottom: 28, containLabel: true }, tooltip: tooltip(c, { formatter: (item: { name: string; value: number }) => tip(item.name, [[column, format(item.value)]]) }) }) },
  };
}

function rpcsView(document: Doc): View | null {
  const all_kinds = pairs(doc(document, "rpcs")).sort((a, b) => b[1] - a[1]);
  const rows = all_kinds.some((one) => one[1] > 0) ? all_kinds.filter((one) => one[1] > 0) : all_kinds;
  const all = rows.reduce((sum, one) => sum + one[1], 0);
  return bars("Requests to servers", `${count(all)} requests, by kind. Every read that asks and every write that publishes is one: a weaker model makes fewer.`, rows, "requests", (value) => count(value), "requests");
}

function locksView(document: Doc): View | null {
  const rows = pairs(doc(document, "locks"));
  const all = rows.reduce((sum, one) => sum + one[1], 0);
  if (all === 0) return null;
  const conflict = num(document, "locks", "conflict") ?? 0;
  return bars("Lock tokens", `${percent(num(document, "locks", "local") === null ? null : (num(document, "locks", "local") ?? 0) / all)} of lock requests were answered on the node, ${percent(conflict / all)} took a token from another: those are what strict consistency costs.`, rows, "requests", (value) => count(value), "requests");
}

function bytesView(document: Doc): View | null {
  const words: Record<string, string> = { buffered: "buffer space in use", spilled: "spilled", peer_read: "read by other nodes", written_back: "written back", flushed: "flushed",
    published: "published", reclaimed: "freed for new ones", past_weir_bytes: "lost: past Weir",
    published_bytes: "published", flushed_bytes: "flushed", peer_read_bytes: "read by other nodes", spilled_bytes: "spilled", buffered_bytes: "buffer space in use", written_back_bytes: "written back" };
  const rows = pairs(doc(document, "bytes")).filter(([name, value]) => value > 0 || name !== "past_weir_bytes").map(([name, value]): [string, number] => [words[name] ?? name, value]);
  const spilled = num(document, "bytes", "spilled") ?? num(document, "bytes", "spilled_bytes") ?? 0;
  return bars("What was buffered and flushed", spilled > 0 ? `${bytes(spilled)} did not fit into the buffer and went to the backing directory: a larger buffer would pay.` : "Bytes by where they went; nothing had to be spilled.", rows, "bytes", (value) => bytes(value), "bytes");
}

function serversView(document: Doc): View | null {
  const servers = docs(document, "servers");
  if (servers.length < 2) return null;
  const files = servers.map((one) => num(one, "files") ?? 0);
  const mean = files.reduce((a, b) => a + b, 0) / files.length;
  return tableView("Servers", `${many(servers.length, "server")}; the fullest name table holds ${mean > 0 ? (Math.max(...files) / mean).toFixed(2) : "0"} times the mean.`,
    { columns: ["server", "files", "extents", "buffered", "requests"], rows: servers.map((one, i) => [num(one, "server") ?? i, num(one, "files"), num(one, "extents"), bytes(num(one, "bytes", "buffered") ?? num(one, "buffered_bytes")), pairs(doc(one, "rpcs")).reduce((sum, pair) => sum + pair[1], 0)]) });
}

export function fsStatsPart(document: Doc, source: string): HTMLElement[] {
  return [facts([["job", text(document, "job")], ["files", count(num(document, "files"))], ["extents", count(num(document, "extents"))], ["segments", count(num(document, "segments"))]]),
    views(source, [["Bytes", () => bytesView(document)], ["Requests", () => rpcsView(document)], ["Locks", () => locksView(document)], ["Servers", () => serversView(document)]])];
}

export function fsStatusPart(document: Doc, source: string): HTMLElement[] {
  const servers = docs(document, "servers");
  const silent = servers.filter((one) => flag(one, "answers") === false);
  return [facts([["job", text(document, "job")], ["model", text(document, "model")], ["backing", text(document, "backing")]]),
    ...(silent.length > 0 ? [notice(`${many(silent.length, "server does", "servers do")} not answer: ${silent.map((one) => text(one, "host") ?? "?").join(", ")}`, "problem")] : []),
    views(source, [["Servers", () => tableView("Servers", silent.length === 0 ? "All servers answer." : "Not all servers answer; weir fs recover brings a job's names back.",
      { columns: ["server", "host", "answers", "files", "buffered"], rows: servers.map((one) => [num(one, "server"), text(one, "host"), flag(one, "answers"), num(one, "files"), bytes(num(one, "buffered_bytes"))]) })]])];
}

// weir.run/1; several of them on one page are compared in the first one's place.
function timesView(document: Doc): View | null {
  const rows = ([["servers come up", "start_s"], ["program", "program_s"], ["flush", "flush_s"]] as [string, string][]).flatMap(([name, field]): [string, number][] => {
    const value = num(document, field);
    return value === null ? [] : [[name, value]];
  });
  const [program, flush] = [num(document, "program_s") ?? 0, num(document, "flush_s") ?? 0];
  return bars("Where the time went", flush > 0.5 * program ? "Flushing takes long beside the program: what it writes is more than the backing directory takes in that time." : "The flush is short beside the program: the buffer costs little.", rows, "seconds", (value) => seconds(value), "seconds");
}

function process(value: Doc): string {
  const [rank, pid] = [num(value, "rank"), num(value, "pid")];
  return rank !== null ? `rank ${rank}` : pid !== null ? `process ${pid}` : `node ${num(value, "node") ?? "?"}`;
}

// What weir run --verify saw of reads under weak models.
function staleView(document: Doc): View | null {
  const rows = docs(document, "verify", "stale").map((one) => [shortName(text(one, "file") ?? "?"), text(one, "model"), num(one, "begin_bytes"), num(one, "end_bytes"), process(doc(one, "reader")),
    isDoc(one.writer) ? process(one.writer) : "length changed", text(one, "missing"), list(one, "calls").map(String).join(" "), num(one, "times")]);
  if (rows.length === 0) return null;
  return tableView("Stale reads", "Reads that got other bytes than posix would give, and the calls that would have made them right.",
    { columns: ["file", "model", "from", "to", "reader", "writer", "missing", "calls", "times"], rows }, undefined, true);
}

function verdict(document: Doc): HTMLElement | null {
  const [checked, stale] = [num(document, "verify", "checked_reads"), num(document, "verify", "stale_reads")];
  if (checked === null || stale === null) return null;
  return el("p", { class: stale > 0 ? "verdict bad" : "verdict" }, stale > 0 ? `${count(stale)} of ${count(checked)} reads were stale: ${text(document, "model") ?? "this model"} is not enough.` : `${many(checked, "read")} verified: each got what posix would give.`);
}

export function runPart(document: Doc, source: string): HTMLElement[] {
  const status = num(document, "status");
  return [
    facts([["command", list(document, "command").map(String).join(" ")], ["model", text(document, "model")], ["directory", text(document, "dir")], ["files", count(num(document, "files"))], ["brought in ahead", num(document, "stage_in", "bytes") === null ? null : `${bytes(num(document, "stage_in", "bytes"))} in ${seconds(num(document, "stage_in", "s"))}`], ["exit status", status === null ? null : String(status)]]),
    ...[verdict(document)].filter((one): one is HTMLElement => one !== null),
    ...(status !== null && status !== 0 ? [notice(`The program ended with status ${status}.`, "problem")] : []),
    ...((num(document, "bytes", "past_weir_bytes") ?? 0) > 0 ? [notice(`${bytes(num(document, "bytes", "past_weir_bytes"))} were written by programs that Weir's library is not in, and are lost.`, "problem")] : []),
    views(source, [["Times", () => timesView(document)], ["Bytes", () => bytesView(document)], ["Requests", () => rpcsView(document)], ["Locks", () => locksView(document)], ["Stale reads", () => staleView(document)]]),
  ];
}

// Bandwidth by consistency model, of all runs on a page; a study has its own.
export function compareRuns(parts: Doc[]): HTMLElement | null {
  if (parts.some((part) => text(part, "document", "schema") === "weir.study/1")) return null;
  const runs = parts.map((part) => doc(part, "document")).filter((one) => text(one, "schema") === "weir.run/1" && num(one, "program_s") !== null);
  if (runs.length < 2) return null;
  const speed = (one: Doc) => (num(one, "bytes", "published_bytes") ?? 0) / Math.max(1e-9, num(one, "program_s") ?? 0);
  const rows = runs.map((one): [string, number] => [text(one, "model") ?? "?", speed(one)]);
  const best = rows.reduce((a, b) => (b[1] > a[1] ? b : a));
  const worst = rows.reduce((a, b) => (b[1] < a[1] ? b : a));
  const close = best[1] < 1.1 * worst[1];
  return el("section", { id: "runs" }, el("h2", {}, "Runs compared"), views("runs", [["Bandwidth", () => bars("Bandwidth by model", `Bytes published in the program's time, of single runs; ${close ? "they differ by less than a tenth, which may be chance" : `${best[0]} is fastest`}. What separates the models is what they ask of the servers.`, rows, "bytes per second", (value) => `${bytes(value)}/s`, "bytes_per_second")]]));
}
