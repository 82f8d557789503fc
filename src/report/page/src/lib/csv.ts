export type Cell = string | number | boolean | null;
export interface Numbers {
  columns: string[];
  rows: Cell[][];
}

function field(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : "";
  const text = String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function csv(numbers: Numbers): string {
  return [numbers.columns, ...numbers.rows].map((row) => row.map(field).join(",")).join("\n") + "\n";
}

export function fileName(...parts: string[]): string {
  const words = parts.join("-").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return `${words.slice(-80)}.csv`;
}

export function save(name: string, numbers: Numbers): void {
  const address = URL.createObjectURL(new Blob([csv(numbers)], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
