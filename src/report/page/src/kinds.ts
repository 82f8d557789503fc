// Which views a result has, by its schema.
import { notice } from "./lib/dom";
import { doc, isDoc, text } from "./lib/value";
import type { Doc } from "./lib/value";
import { balancePart } from "./views/balance";
import { benchPart, comparePart, detectPart, doctorPart, stripePart } from "./views/bench";
import { fsStatsPart, fsStatusPart, runPart } from "./views/burst";
import { checkPart } from "./views/check";
import { fitPart } from "./views/fit";
import { advisePart, classifyPart, matrixPart, slicesPart } from "./views/interfere";
import { anovaPart, convergePart, mapFitPart, predictPart, proposePart, slicePart, validatePart } from "./views/map";
import { patternsPart } from "./views/patterns";
import { planPart } from "./views/plan";
import { studyPart } from "./views/study";
import { tracePart } from "./views/trace";

interface Views {
  title: string;
  make: (document: Doc, source: string) => HTMLElement[];
}

const kinds: Record<string, Views> = {
  "study": { title: "Study", make: studyPart },
  "trace-view": { title: "Trace", make: tracePart },
  "stat": { title: "Trace", make: tracePart },
  "check": { title: "Consistency", make: checkPart },
  "patterns": { title: "Access patterns", make: patternsPart },
  "fit": { title: "Fit", make: fitPart },
  "plan": { title: "Plan of runs", make: planPart },
  "detect": { title: "New runs against a baseline", make: detectPart },
  "map-validate": { title: "Map: validation", make: validatePart },
  "map-fit": { title: "Map: fit", make: mapFitPart },
  "map-slice": { title: "Map: slice", make: slicePart },
  "map-converge": { title: "Map: convergence", make: convergePart },
  "map-anova": { title: "Map: analysis of variance", make: anovaPart },
  "map-predict": { title: "Map: predictions", make: predictPart },
  "map-propose": { title: "Map: what to measure next", make: proposePart },
  "bench-run": { title: "Campaign", make: benchPart },
  "bench-show": { title: "Campaign", make: benchPart },
  "bench-compare": { title: "Campaigns compared", make: comparePart },
  "stripe": { title: "Striped writes", make: stripePart },
  "interfere-matrix": { title: "Interference", make: matrixPart },
  "interfere-sweep": { title: "Interference: sweep", make: matrixPart },
  "interfere-slices": { title: "Interference: time slices", make: slicesPart },
  "interfere-join": { title: "Interference: aligned time slices", make: slicesPart },
  "interfere-balance": { title: "Targets in balance", make: balancePart },
  "interfere-classify": { title: "Write pattern", make: classifyPart },
  "interfere-advise": { title: "Who may run beside whom", make: advisePart },
  "fs-stats": { title: "Burst-buffer file system", make: fsStatsPart },
  "fs-status": { title: "Burst-buffer servers", make: fsStatusPart },
  "run": { title: "Run on the burst buffer", make: runPart },
  "doctor": { title: "Machine", make: doctorPart },
};

export interface Kind {
  title: string;
  make: (source: string) => HTMLElement[];
}

export function kindOf(part: Doc): Kind {
  const document = doc(part, "document");
  const schema = text(document, "schema");
  if (!isDoc(part.document)) return { title: "Unreadable result", make: () => [] };
  const [, name = "", version = ""] = /^weir\.([a-z-]+)\/(\d+)$/.exec(schema ?? "") ?? [];
  const views = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (schema === null || name === "")
    return { title: "Unknown result", make: () => [notice("This is no result of weir: it has no schema.", "problem")] };
  if (views === undefined)
    return { title: `Result of weir ${name.replace("-", " ")}`, make: () => [notice(`There is no view for ${schema}.`, "problem")] };
  if (version !== "1")
    return { title: views.title, make: () => [notice(`This result is ${schema}; this page reads version 1. Make it again with this version of weir, or the page with the other one.`, "problem")] };
  return { title: views.title, make: (source) => views.make(document, source) };
}
