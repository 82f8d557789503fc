// Elements with their content as text: nothing of a result is ever read as HTML.
export type Child = Node | string | null;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.filter((child): child is Node | string => child !== null));
  return made;
}

export function facts(rows: [string, string | null][]): HTMLElement {
  const made = el("dl", { class: "facts" });
  for (const [name, value] of rows)
    if (value !== null && value !== "") made.append(el("div", {}, el("dt", {}, name), el("dd", {}, value)));
  return made;
}

// What is wrong with a part, in its place.
export function notice(text: string, kind: "problem" | "note" = "note"): HTMLElement {
  return el("p", { class: kind, role: kind === "problem" ? "alert" : "note" }, text);
}

export function button(label: string, says: string, act: () => void): HTMLButtonElement {
  const made = el("button", { type: "button", "aria-label": says, title: says }, label);
  made.addEventListener("click", act);
  return made;
}

export function choice(label: string, options: string[], act: (index: number) => void): HTMLElement {
  const select = el("select", {}, ...options.map((one, i) => el("option", { value: String(i) }, one)));
  select.addEventListener("change", () => act(Number(select.value)));
  return el("label", { class: "choice" }, label, select);
}
