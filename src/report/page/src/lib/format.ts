// Numbers as people read them.
export function count(value: number | null): string {
  return value === null ? "–" : Math.round(value).toLocaleString("en-US").replaceAll(",", "\u202f");
}

export function plain(value: number | null, digits = 4): string {
  if (value === null || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(Math.max(0, digits - 2)).replace("e+", "e");
  return String(Number(value.toPrecision(digits)));
}

export function percent(share: number | null, digits = 1): string {
  return share === null ? "–" : `${(100 * share).toFixed(digits)} %`;
}

export function bytes(value: number | null): string {
  if (value === null) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  let rest = value;
  while (Math.abs(rest) >= 1024 && unit + 1 < units.length) {
    rest /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? Math.round(rest) : Number(rest.toPrecision(3))} ${units[unit]}`;
}

export function seconds(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0 s";
  if (size < 1e-6) return `${Number((value * 1e9).toPrecision(3))} ns`;
  if (size < 1e-3) return `${Number((value * 1e6).toPrecision(3))} µs`;
  if (size < 1) return `${Number((value * 1e3).toPrecision(3))} ms`;
  if (size < 300) return `${Number(value.toPrecision(3))} s`;
  return size < 7200 ? `${(value / 60).toFixed(1)} min` : `${(value / 3600).toFixed(1)} h`;
}

export function nanoseconds(value: number | null): string {
  return seconds(value === null ? null : value / 1e9);
}

// "2026-11-18T08:00:00Z" for people.
export function when(value: string | null): string | null {
  return value === null ? null : value.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");
}

// Nanoseconds since 1970.
export function whenNs(value: number | null): string | null {
  const date = new Date((value ?? NaN) / 1e6);
  return Number.isNaN(date.getTime()) ? null : when(date.toISOString());
}

export function many(value: number, one: string, more = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : more}`;
}

// Of any number of values; 0 of none.
export function greatest(values: number[]): number {
  return values.reduce((most, value) => (value > most ? value : most), 0);
}

// The end of a long path says more than its beginning.
export function shortName(name: string, most = 48): string {
  return name.length <= most ? name : `…${name.slice(name.length - most + 1)}`;
}

export function sentence(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1) + (/[.!?]$/.test(words) ? "" : ".");
}
