import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { attributes } from "./attributes.ts";
import { Metrics } from "./metrics.ts";

const page = readFileSync(new URL("../../../../docs/watching.md", import.meta.url), "utf8");

/** The rows of the page's tables whose first cell is a name that begins so. */
const rows = (beginning: RegExp): string[][] =>
  page
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, first = ""]) => beginning.test(first));
const named = (cell = ""): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? "");

test("docs/watching.md has every number of ours with its labels, and no other", () => {
  const told = rows(/^`fairlead_/).map(([, name, labels]) => [...named(name), ...named(labels)].join(" "));
  // Its types leave the labels out.
  const own = new Metrics().registry.getMetricsAsArray().filter(({ name }) => name.startsWith("fairlead_"));
  const known = own.map((one) => [one.name, ...(one as unknown as { labelNames: string[] }).labelNames].join(" "));
  expect(told.toSorted()).toEqual(known.toSorted());
  expect(told.length).toBeGreaterThan(10);
});

test("docs/watching.md has every attribute of our spans, and no other", () => {
  const told = rows(/^`(gen_ai|error|fairlead)\./).flatMap(([, name]) => named(name));
  expect(told.toSorted()).toEqual(Object.values(attributes).toSorted());
});

test("docs/watching.md has every variable that is read, and no other", () => {
  const source = readFileSync(new URL("open-watch.ts", import.meta.url), "utf8");
  const read = new Set(source.match(/\b(FAIRLEAD|OTEL)_[A-Z_]+\b/g));
  // This one is read by the exporter itself.
  const told = new Set(page.match(/\b(FAIRLEAD|OTEL)_[A-Z_]+\b/g)).difference(new Set(["OTEL_EXPORTER_OTLP_HEADERS"]));
  expect([...told].toSorted()).toEqual([...read].toSorted());
});
