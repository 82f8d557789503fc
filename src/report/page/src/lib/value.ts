// Results are read as they come: a field that is not there, or not of the kind expected, is missing and no more.
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Doc = { [key: string]: Json };

export function isDoc(value: Json | undefined): value is Doc {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function at(value: Json | undefined, ...path: (string | number)[]): Json | undefined {
  let now: Json | undefined = value;
  for (const step of path) {
    if (Array.isArray(now) && typeof step === "number") now = now[step];
    else if (isDoc(now) && typeof step === "string") now = Object.hasOwn(now, step) ? now[step] : undefined;
    else return undefined;
  }
  return now;
}

export function num(value: Json | undefined, ...path: (string | number)[]): number | null {
  const found = at(value, ...path);
  return typeof found === "number" && Number.isFinite(found) ? found : null;
}

export function text(value: Json | undefined, ...path: (string | number)[]): string | null {
  const found = at(value, ...path);
  return typeof found === "string" ? found : null;
}

export function flag(value: Json | undefined, ...path: (string | number)[]): boolean | null {
  const found = at(value, ...path);
  return typeof found === "boolean" ? found : null;
}

export function list(value: Json | undefined, ...path: (string | number)[]): Json[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function docs(value: Json | undefined, ...path: (string | number)[]): Doc[] {
  return list(value, ...path).filter(isDoc);
}

export function doc(value: Json | undefined, ...path: (string | number)[]): Doc {
  const found = at(value, ...path);
  return isDoc(found) ? found : {};
}

export function numbers(value: Json | undefined, ...path: (string | number)[]): number[] {
  return list(value, ...path).map((one) => (typeof one === "number" ? one : NaN));
}

export function texts(value: Json | undefined, ...path: (string | number)[]): string[] {
  return list(value, ...path).filter((one): one is string => typeof one === "string");
}

// {"threads": "4", "mode": "read"} as "threads 4, mode read"; a word for the empty one.
// Short names of things with keys, for an axis: the values of what differs, and what they are values of.
export function keyWords(keys: (Json | undefined)[], show: (value: string, name: string) => string): { name: string; words: string[] } {
  const plain = { name: "", words: keys.map((key) => keyText(key)) };
  const [first] = keys;
  if (keys.length < 2 || !keys.every(isDoc) || !isDoc(first)) return plain;
  const names = Object.keys(first).filter((name) => new Set(keys.map((key) => String((key as Doc)[name]))).size > 1);
  if (names.length === 0) return plain;
  return { name: names.join(" · "), words: keys.map((key) => names.map((name) => show(String((key as Doc)[name]), name)).join(" · ")) };
}

export function keyText(key: Json | undefined, none = "all values"): string {
  if (typeof key === "string") return key;
  const parts = Object.entries(isDoc(key) ? key : {}).map(([name, value]) => `${name} ${String(value)}`);
  return parts.length > 0 ? parts.join(", ") : none;
}
