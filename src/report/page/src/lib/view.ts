// A view is a figure: what it shows in a sentence, a chart or a table, and its numbers one click away.
import { fileName, save } from "./csv";
import type { Cell, Numbers } from "./csv";
import { colours, onColours } from "./colours";
import type { Colours } from "./colours";
import { button, el, notice } from "./dom";
import type { Child } from "./dom";
import { init } from "./echarts";
import type { EChartsType, Option } from "./echarts";
import { count as whole, plain } from "./format";
import { narrow } from "./option";

export interface View {
  title: string;
  says: string; // what it shows and what follows from it
  numbers: () => Numbers;
  chart?: ChartOf;
  shown?: Numbers; // a table that is there from the start
  controls?: HTMLElement[];
  wide?: boolean;
}

export interface ChartOf {
  option: (colours: Colours) => Option;
  height?: number;
  canvas?: boolean; // for many marks
  ready?: (chart: EChartsType) => void;
}

const kShownRows = 400;
const kOneLine = 16; // letters: a number keeps its unit, a rank its number
const kManyLines = 48; // letters: else a narrow column would be all of a phone high
const kPrintWidth = 680;

class Drawing {
  readonly box: HTMLElement;
  private chart: EChartsType | null = null;

  constructor(private readonly of: ChartOf, label: string) {
    this.box = el("div", { class: "chart", role: "img", "aria-label": label, tabindex: "0" });
    this.box.style.height = `${of.height ?? 320}px`;
  }

  draw(printing = false): void {
    const fresh = this.chart === null;
    if (this.chart === null) {
      this.chart = init(this.box, null, { renderer: this.of.canvas === true ? "canvas" : "svg" });
      (this.box as unknown as { chart: EChartsType }).chart = this.chart; // where a test finds it
    }
    this.chart.setOption(this.of.option(colours(printing)), { notMerge: true });
    if (fresh) this.of.ready?.(this.chart);
  }
  redraw(): void {
    if (this.chart !== null) this.draw();
  }
  fit(width?: number): void {
    this.chart?.resize(width === undefined ? {} : { width });
  }
}

const drawings = new Map<Element, Drawing>();
// Charts are made when they come near the window: a page with a hundred of them opens at once.
const near = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    near.unobserve(entry.target);
    drawings.get(entry.target)?.draw();
  }
}, { rootMargin: "400px" });
const sized = new ResizeObserver((entries) => {
  for (const entry of entries) drawings.get(entry.target)?.fit();
});

export function startViews(): void {
  onColours(() => drawings.forEach((one) => one.redraw()));
  narrow.addEventListener("change", () => drawings.forEach((one) => one.redraw()));
  window.addEventListener("beforeprint", () => {
    sized.disconnect();
    drawings.forEach((one) => {
      one.draw(true);
      one.fit(kPrintWidth);
    });
  });
  window.addEventListener("afterprint", () => {
    drawings.forEach((one, box) => {
      one.draw();
      one.fit();
      sized.observe(box);
    });
  });
}

function shownCell(cell: Cell): HTMLElement {
  if (typeof cell === "number") return el("td", { class: "number" }, Number.isSafeInteger(cell) ? whole(cell) : plain(cell, 6));
  if (cell === null) return el("td", { class: "number" }, "–");
  if (typeof cell === "boolean") return el("td", {}, cell ? "yes" : "no");
  return el("td", { class: cell.length <= kOneLine ? "short" : cell.length > kManyLines ? "long" : "" }, cell);
}

export function table(numbers: Numbers, label: string): HTMLElement {
  const rows = numbers.rows.slice(0, kShownRows);
  const numeric = numbers.columns.map((_, i) => rows.every((row) => typeof row[i] === "number" || row[i] === null));
  const head = el("tr", {}, ...numbers.columns.map((name, i) => el("th", { scope: "col", class: numeric[i] === true ? "number" : "" }, name)));
  const made = el("div", { class: "table", tabindex: "0", role: "region", "aria-label": label },
    el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map(shownCell))))));
  if (rows.length < numbers.rows.length)
    made.append(el("p", { class: "more" }, `${numbers.rows.length - rows.length} more rows are in the CSV file.`));
  return made;
}

let count = 0;

export function figure(view: View, source: string): HTMLElement {
  const id = `view-${++count}`;
  const parts: Child[] = [
    el("figcaption", {}, el("h3", { id }, view.title), el("p", { class: "says" }, view.says)),
  ];
  const tools = el("div", { class: "tools" }, ...(view.controls ?? []));
  tools.append(button("CSV", `Save the numbers of “${view.title}” as CSV`, () =>
    save(fileName(source, view.title), view.numbers())));
  if (view.shown === undefined) tools.append(numbersButton(view, id));
  parts.push(tools);
  if (view.chart !== undefined) {
    const drawing = new Drawing(view.chart, `${view.title}. ${view.says}`);
    drawings.set(drawing.box, drawing);
    near.observe(drawing.box);
    sized.observe(drawing.box);
    parts.push(drawing.box);
  }
  if (view.shown !== undefined && view.shown.rows.length > 0) parts.push(table(view.shown, view.title));
  return el("figure", { class: view.wide === true ? "view wide" : "view", "aria-labelledby": id }, ...parts);
}

function numbersButton(view: View, id: string): HTMLElement {
  let shown: HTMLElement | null = null;
  const made = button("Numbers", `Show the numbers of “${view.title}”`, () => {
    if (shown === null) {
      shown = table(view.numbers(), `Numbers of ${view.title}`);
      shown.id = `${id}-numbers`;
      made.closest("figure")?.append(shown);
    } else {
      shown.hidden = !shown.hidden;
    }
    made.setAttribute("aria-expanded", String(!shown.hidden));
  });
  made.setAttribute("aria-expanded", "false");
  return made;
}

// A view that fails says so in its place; the others are shown.
export function safely(title: string, make: () => HTMLElement | null): HTMLElement | null {
  try {
    return make();
  } catch (problem) {
    return el("figure", { class: "view" }, el("figcaption", {}, el("h3", {}, title)),
      notice(`This view could not be made: ${problem instanceof Error ? problem.message : String(problem)}`, "problem"));
  }
}

export type Maker = [string, () => View | null];

// The views that a result has something for, side by side.
export function views(source: string, makers: Maker[]): HTMLElement {
  const place = el("div", { class: "views" });
  for (const [title, make] of makers) {
    const made = safely(title, () => {
      const view = make();
      return view === null ? null : figure(view, source);
    });
    if (made !== null) place.append(made);
  }
  return place;
}

// A table that is there from the start; the CSV file may hold more than is shown.
export function tableView(title: string, says: string, shown: Numbers, numbers: Numbers = shown, wide = false): View {
  return { title, says, shown, numbers: () => numbers, wide };
}
