import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { spanAttributes } from "./span-attributes.ts";
import { Metrics } from "./metrics.ts";

const page = readFileSync(new URL("../../../../docs/build/observability.md", import.meta.url), "utf8");

/** Returns the table rows of the page whose first cell matches the pattern. */
const tableRows = (pattern: RegExp): string[][] =>
  page
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .filter(([, first = ""]) => pattern.test(first));
const codeNames = (cell = ""): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? "");

test("docs/build/observability.md lists exactly the metrics of Fairlead, with their labels", () => {
  const documented = tableRows(/^`fairlead_/).map(([, name, labels]) =>
    [...codeNames(name), ...codeNames(labels)].join(" "),
  );
  // The library's types omit the labels.
  const ownMetrics = new Metrics().registry.getMetricsAsArray().filter(({ name }) => name.startsWith("fairlead_"));
  const registered = ownMetrics.map((metric) =>
    [metric.name, ...(metric as unknown as { labelNames: string[] }).labelNames].join(" "),
  );
  expect(documented.toSorted()).toEqual(registered.toSorted());
  expect(documented.length).toBeGreaterThan(10);
});

test("docs/build/observability.md lists exactly the attributes of spans", () => {
  const documented = tableRows(/^`(gen_ai|error|fairlead)\./).flatMap(([, name]) => codeNames(name));
  expect(documented.toSorted()).toEqual(Object.values(spanAttributes).toSorted());
});

test("docs/build/observability.md lists exactly the variables that are read", () => {
  const source = readFileSync(new URL("open-observability.ts", import.meta.url), "utf8");
  const readVariables = new Set(source.match(/\b(FAIRLEAD|OTEL)_[A-Z_]+\b/g));
  // The exporter reads this variable.
  const documented = new Set(page.match(/\b(FAIRLEAD|OTEL)_[A-Z_]+\b/g)).difference(
    new Set(["OTEL_EXPORTER_OTLP_HEADERS"]),
  );
  expect([...documented].toSorted()).toEqual([...readVariables].toSorted());
});
