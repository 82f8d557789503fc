// Densities and distribution functions of the families of `weir fit`, from the parameters in its answer.
// location and scale are of x for normal, GEV and Gumbel, of log x for Weibull, lognormal, log-logistic and
// Fréchet; for gamma the location holds the shape. The tests compare them with the curves that Weir computed.
import { docs, num, text } from "./value";
import type { Doc } from "./value";

export interface Component {
  weight: number;
  location: number;
  scale: number;
  shape: number;
}

export interface Model {
  family: string;
  components: Component[];
}

export function modelOf(model: Doc): Model | null {
  const components = docs(model, "parameters").map((one) => ({
    weight: num(one, "weight") ?? 1,
    location: num(one, "location") ?? NaN,
    scale: num(one, "scale") ?? NaN,
    shape: num(one, "shape") ?? 0,
  }));
  const usable = components.length > 0 && components.every((one) => Number.isFinite(one.location) && one.scale > 0);
  return usable ? { family: text(model, "family") ?? "", components } : null;
}

function logGamma(x: number): number {
  // Lanczos, g = 7, n = 9.
  const c = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const z = x - 1;
  let sum = c[0] ?? 0;
  for (let i = 1; i < c.length; ++i) sum += (c[i] ?? 0) / (z + i);
  const t = z + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}

// The regularised lower incomplete gamma function: a series below the middle, a continued fraction above.
function lowerGamma(a: number, x: number): number {
  if (!(x > 0)) return 0;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; n < 10000 && Math.abs(term) > 1e-16 * Math.abs(sum); ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return front * sum;
  }
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let h = d;
  for (let n = 1; n < 10000; ++n) {
    const an = -n * (n - a);
    b += 2;
    d = 1 / (an * d + b || 1e-300);
    c = b + an / c || 1e-300;
    h *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return 1 - front * h;
}

function normalCdf(z: number): number {
  const half = 0.5 * lowerGamma(0.5, 0.5 * z * z);
  return z < 0 ? 0.5 - half : 0.5 + half;
}

interface Standard {
  density: (z: number) => number;
  cdf: (z: number) => number;
  onLog: boolean;
}
const normal = { density: (z: number) => Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI), cdf: normalCdf };
const largest = { density: (z: number) => Math.exp(-z - Math.exp(-z)), cdf: (z: number) => Math.exp(-Math.exp(-z)) };
const standards: Record<string, Standard> = {
  normal: { ...normal, onLog: false },
  lognormal: { ...normal, onLog: true },
  weibull: { density: (z) => Math.exp(z - Math.exp(z)), cdf: (z) => -Math.expm1(-Math.exp(z)), onLog: true },
  loglogistic: { density: (z) => 1 / (2 + Math.exp(z) + Math.exp(-z)), cdf: (z) => 1 / (1 + Math.exp(-z)), onLog: true },
  frechet: { ...largest, onLog: true },
  gumbel: { ...largest, onLog: false },
};

interface Point {
  density: number;
  cdf: number;
}

function component(family: string, of: Component, x: number): Point {
  if (family === "gamma") {
    if (!(x > 0)) return { density: 0, cdf: 0 };
    const y = x / of.scale;
    return {
      density: Math.exp((of.location - 1) * Math.log(y) - y - logGamma(of.location)) / of.scale,
      cdf: lowerGamma(of.location, y),
    };
  }
  if (family === "gev" && Math.abs(of.shape) > 1e-9) {
    const inside = 1 + of.shape * (x - of.location) / of.scale;
    if (inside <= 0) return { density: 0, cdf: of.shape > 0 ? 0 : 1 };
    const t = inside ** (-1 / of.shape);
    return { density: t ** (of.shape + 1) * Math.exp(-t) / of.scale, cdf: Math.exp(-t) };
  }
  const standard = standards[family === "gev" ? "gumbel" : family];
  if (standard === undefined) return { density: NaN, cdf: NaN };
  if (!standard.onLog) {
    const z = (x - of.location) / of.scale;
    return { density: standard.density(z) / of.scale, cdf: standard.cdf(z) };
  }
  if (!(x > 0)) return { density: 0, cdf: 0 };
  const z = (Math.log(x) - of.location) / of.scale;
  return { density: standard.density(z) / (of.scale * x), cdf: standard.cdf(z) };
}

export function density(model: Model, x: number, only?: number): number {
  return model.components.reduce((sum, one, i) =>
    only === undefined || only === i ? sum + one.weight * component(model.family, one, x).density : sum, 0);
}

export function cdf(model: Model, x: number): number {
  return model.components.reduce((sum, one) => sum + one.weight * component(model.family, one, x).cdf, 0);
}
