// The page's own computing, without a browser: its distributions against the curves that weir fit computed, CSV, bins.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { random } from "./documents.js";

const { WEIR: weir, WEIR_SOURCE: source, WEIR_PAGE_DIR: built, WEIR_REPORT_OUT: out } = process.env;
mkdirSync(out, { recursive: true });

// A module of the page as this program can load it.
async function module_of(name) {
  const { buildSync } = createRequire(join(built, "package.json"))("esbuild");
  const outfile = join(out, `${name}.mjs`);
  buildSync({ entryPoints: [join(source, "src/report/page/src/lib", `${name}.ts`)], bundle: true, format: "esm", outfile, logLevel: "error" });
  return import(pathToFileURL(outfile).href);
}

test("distributions are those of weir fit, for every family", async () => {
  const { cdf, density, modelOf } = await module_of("distribution");
  const next = random(17);
  const values = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? 40 + 9 * next() : 80 + 25 * next() * next()));
  const file = join(out, "values.csv");
  writeFileSync(file, `x\n${values.join("\n")}\n`);
  let compared = 0;
  for (const family of ["normal", "gamma", "weibull", "lognormal", "loglogistic", "frechet", "gev", "gumbel"]) {
    const extreme = family === "gev" || family === "gumbel";
    const document = JSON.parse(execFileSync(weir, ["fit", file, "--column", "x", "--family", family, ...(extreme ? [] : ["--components", "2"]), "--plot", "--json"].filter((word) => !extreme || word !== "--plot"), { encoding: "utf8" }));
    const group = document.groups[0];
    const model = modelOf(group.models[0]);
    assert.equal(model.family, family);
    for (const point of group.plot?.curve ?? []) {
      const scale = Math.max(...group.plot.curve.map((one) => one.density));
      assert.ok(Math.abs(density(model, point.x) - point.density) <= 1e-5 * scale, `${family} density at ${point.x}: ${density(model, point.x)}, ${point.density}`);
      assert.ok(Math.abs(cdf(model, point.x) - point.cdf) <= 1e-6, `${family} cdf at ${point.x}: ${cdf(model, point.x)}, ${point.cdf}`);
      ++compared;
    }
  }
  assert.ok(compared > 1000, `${compared} points only`);
});

test("CSV holds what needs quoting", async () => {
  const { csv } = await module_of("csv");
  assert.equal(csv({ columns: ["a", "b,c"], rows: [["x \"y\"", 1.5], [null, "two\nlines"], [true, NaN]] }), "a,\"b,c\"\n\"x \"\"y\"\"\",1.5\n,\"two\nlines\"\ntrue,\n");
});

test("columns of any window add up to its bins", async () => {
  const { binsOf, columns } = await module_of("bins");
  const next = random(5);
  const kinds = {};
  for (const kind of ["read", "write", "other"]) {
    const bin = Array.from({ length: 1000 }, (_, i) => i).filter(() => next() < 0.4);
    kinds[kind] = { bin, calls: bin.map(() => Math.floor(10 * next())), time_ns: bin.map(() => Math.floor(1000 * next())), bytes: bin.map(() => 64) };
  }
  const bins = binsOf({ begin_ns: 0, bin_ns: 1000, bins: 1000, rows: [{ processes: [0], kinds }] });
  for (const most of [1, 7, 100, 5000]) for (const [from, to] of [[0, 1000], [0, 500]]) {
    const made = columns(bins, from, to, most, null);
    assert.ok(made.length <= most);
    const inside = (field) => Object.values(kinds).reduce((sum, kind) => sum + kind[field].filter((_, i) => kind.bin[i] >= from && kind.bin[i] < to).reduce((a, b) => a + b, 0), 0);
    assert.equal(made.reduce((sum, one) => sum + one.calls, 0), inside("calls"));
    assert.equal(made.reduce((sum, one) => sum + one.time, 0), inside("time_ns"));
  }
  const reads = columns(bins, 0, 1000, 50, 0);
  assert.ok(reads.every((one) => one.kind === 0));
});

test("numbers and names as people read them", async () => {
  const { bytes, count, plain, seconds, shortName } = await module_of("format");
  assert.equal(bytes(1536), "1.5 KiB");
  assert.equal(bytes(0), "0 B");
  assert.equal(seconds(0.00025), "250 µs");
  assert.equal(count(1234567), "1\u202f234\u202f567");
  assert.equal(plain(null), "–");
  assert.equal(plain(0.000012345), "1.23e-5");
  assert.equal(shortName("/a/very/long/name", 8), "…ng/name".slice(-8));
});
