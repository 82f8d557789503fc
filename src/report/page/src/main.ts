import "./style.css";
import { force, isDark, onColours, startColours } from "./lib/colours";
import { button, el, facts, notice } from "./lib/dom";
import { doc, isDoc, list, num, text, texts } from "./lib/value";
import type { Doc, Json } from "./lib/value";
import { safely, startViews } from "./lib/view";
import { when } from "./lib/format";
import { kindOf } from "./kinds";
import { compareRuns } from "./views/burst";

function results(): Doc {
  const holder = document.getElementById("results");
  const parsed = JSON.parse(holder?.textContent ?? "{}") as Json;
  holder?.remove();
  return isDoc(parsed) ? parsed : {};
}

function themeButton(): HTMLElement {
  const label = () => (isDark() ? "Light" : "Dark");
  const made = button(label(), "Switch between light and dark", () => force(isDark() ? "light" : "dark"));
  onColours(() => { made.textContent = label(); });
  return made;
}

// A word of a command as a shell takes it.
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function header(page: Doc): HTMLElement {
  const title = text(page, "title") ?? "Weir report";
  document.title = title;
  return el("header", {}, el("div", { class: "bar" }, el("h1", {}, title), themeButton()), facts([
    ["command", texts(page, "made", "command").map(quoted).join(" ") || null],
    ["weir", text(page, "made", "weir")],
    ["built with", text(page, "made", "compiler")],
    ["host", text(page, "made", "host")],
    ["date", when(text(page, "made", "date"))],
  ]));
}

// How a result came about, as far as its document tells: command, version, host, date and seed.
function origin(part: Doc, source: string): HTMLElement {
  const of = doc(part, "document");
  const command = texts(of, "made", "command").map(quoted).join(" ");
  const written = when(text(part, "written"));
  const weir = text(of, "made", "weir") ?? text(of, "facts", "weir");
  const [host, date] = [text(of, "made", "host"), when(text(of, "made", "date"))];
  const seed = num(of, "options", "seed") ?? num(of, "seed");
  const rest = [source, written === null ? "" : `written ${written}`, weir === null ? "" : `by weir ${weir}`, host === null ? "" : `on ${host}`,
    date === null ? "" : `at ${date}`, seed === null ? "" : `seed ${seed}`].filter((one) => one !== "").join(" · ");
  return el("p", { class: "origin" }, ...(command === "" ? [] : [el("code", {}, command), el("br", {})]), rest);
}

// How long the directory is that all results are in: it is left out where they are told apart.
function commonFolder(parts: Doc[]): number {
  const sources = parts.map((part) => text(part, "source") ?? "");
  const first = sources[0] ?? "";
  let shared = first.length;
  for (const one of sources) while (!one.startsWith(first.slice(0, shared))) shared -= 1;
  return sources.length < 2 ? 0 : first.slice(0, shared).lastIndexOf("/") + 1;
}

function section(part: Doc, index: number, folder: number): HTMLElement {
  const source = text(part, "source") ?? `result ${index + 1}`;
  const kind = kindOf(part);
  const made = el("section", { id: `part-${index + 1}`, "data-schema": text(part, "document", "schema") ?? "" },
    el("h2", {}, kind.title, " ", el("small", {}, source.slice(folder))));
  const problem = text(part, "problem");
  if (problem !== null) made.append(notice(problem, "problem"));
  const body = safely(kind.title, () => el("div", {}, ...kind.make(source)));
  if (body !== null) made.append(body);
  made.append(origin(part, source));
  return made;
}

function contents(parts: Doc[], folder: number): HTMLElement | null {
  if (parts.length < 2) return null;
  return el("nav", { "aria-label": "Contents" }, el("ul", {}, ...parts.map((part, i) =>
    el("li", {}, el("a", { href: `#part-${i + 1}` }, kindOf(part).title, " ", el("small", {}, (text(part, "source") ?? "").slice(folder)))))));
}

function start(): void {
  const place = document.getElementById("page");
  if (place === null) return;
  startColours();
  startViews();
  let page: Doc = {};
  try {
    page = results();
  } catch (problem) {
    place.append(notice(`The results in this page cannot be read: ${String(problem)}`, "problem"));
  }
  const parts = list(page, "parts").filter(isDoc);
  place.append(header(page));
  const folder = commonFolder(parts);
  const nav = contents(parts, folder);
  if (nav !== null) place.append(nav);
  const main = el("main", {}, compareRuns(parts), ...parts.map((part, i) => section(part, i, folder)));
  if (parts.length === 0) main.append(notice("There are no results in this page.", "problem"));
  place.append(main, el("footer", {}, "Made by weir report. The file needs no network; every number in it can be saved as CSV."));
  document.documentElement.dataset.ready = "yes";
}

start();
