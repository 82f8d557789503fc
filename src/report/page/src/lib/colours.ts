// One set of colours for light and one for dark; told apart also by people who see few of them (Okabe and Ito).
export interface Colours {
  dark: boolean;
  ink: string;
  muted: string;
  line: string;
  card: string;
  series: string[];
  low: string; // of scales from little to much
  high: string;
  good: string;
  bad: string;
}

const light: Colours = {
  dark: false, ink: "#1d2329", muted: "#56606b", line: "#dfe2e6", card: "#ffffff",
  series: ["#0072b2", "#d55e00", "#008a63", "#a8558a", "#8a6d00", "#2f8fc4", "#5f6872"],
  low: "#e8f1f6", high: "#0a4a73", good: "#00724f", bad: "#b3261e",
};
const dark: Colours = {
  dark: true, ink: "#e7ebef", muted: "#a3aeb9", line: "#323b45", card: "#1b2128",
  series: ["#4aa8e0", "#f28c45", "#3cc79b", "#dd8fbf", "#d9b93b", "#8fd0f2", "#98a3ae"],
  low: "#1f3240", high: "#7cc8f5", good: "#4fd0a4", bad: "#ff8a80",
};

let forced: "light" | "dark" | null = null;
const listeners: (() => void)[] = [];
const asked = window.matchMedia("(prefers-color-scheme: dark)");

export function isDark(): boolean {
  return forced === null ? asked.matches : forced === "dark";
}

export function colours(printing = false): Colours {
  return isDark() && !printing ? dark : light;
}

export function onColours(listener: () => void): void {
  listeners.push(listener);
}

function tell(): void {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

export function force(theme: "light" | "dark" | null): void {
  forced = theme;
  tell();
}

export function startColours(): void {
  asked.addEventListener("change", tell);
  tell();
}
