import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const runbook = read("docs/build/fleet-runbook.md");
const definitions = ["metric-definitions", "fleet-metric-definitions"]
  .map((name) => read(`packages/server/src/observability/${name}.ts`))
  .join("\n");
// Rules are PromQL, for which the pages have no language of their own.
const rules = [...runbook.matchAll(/```text\n([^]*?)```/g)].map(([, rule]) => rule ?? "");
/** The labels that Prometheus adds to each sample. */
const ofPrometheus = new Set(["job", "instance", "le"]);
const metrics = [...definitions.matchAll(/name: "(fairlead_\w+)"/g)].map(([, name]) => name ?? "");

test("each alert has a rule, its meaning, where to look and what to do", () => {
  const entries = runbook.split(/^### /m).slice(1);
  expect(entries.length).toBeGreaterThanOrEqual(10);
  for (const entry of entries) {
    const name = entry.split("\n")[0] ?? "";
    expect(name).toMatch(/^Fairlead\w+$/);
    for (const part of ["```text\n", "**Meaning.** ", "**Look at.** ", "**Do.** "]) expect(entry, name).toContain(part);
  }
});

test("each alert uses metrics that exist", () => {
  for (const rule of rules) {
    const used = [...rule.matchAll(/fairlead_\w+/g)].map(([name]) => baseOf(name));
    expect(used.length, rule).toBeGreaterThan(0);
    for (const name of used) expect(metrics, rule).toContain(name);
  }
});

test("each alert selects the job, and otherwise labels that its metrics have", () => {
  for (const rule of rules) {
    for (const [, name = "", selector = ""] of rule.matchAll(/(fairlead_\w+)(?:\{([^}]*)\})?/g)) {
      const labels = [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label);
      // Hosts and gateways show the same metrics: a gateway those of the fleet, and a host its own.
      expect(labels, rule).toContain("job");
      const own = labelsOf(baseOf(name));
      for (const label of labels) if (label !== "job") expect(own, `${label} in ${rule}`).toContain(label);
    }
    const inRule = [...rule.matchAll(/fairlead_\w+/g)].flatMap(([name]) => labelsOf(baseOf(name)));
    for (const [, list = ""] of rule.matchAll(/\b(?:by|without) \(([^)]*)\)/g))
      for (const label of list.split(",").map((one) => one.trim()))
        if (!ofPrometheus.has(label)) expect(inRule, `${label} in ${rule}`).toContain(label);
  }
});

test("every rule names a job that the page defines", () => {
  const jobs = [...runbook.matchAll(/job_name: (\S+)/g)].map(([, job]) => job);
  expect(jobs).toEqual(["fairlead-host", "fairlead-gateway"]);
  for (const rule of rules)
    for (const [, pattern = ""] of rule.matchAll(/job=~?"([^"]*)"/g))
      expect(
        jobs.some((job) => new RegExp(`^(?:${pattern})$`).test(job ?? "")),
        rule,
      ).toBe(true);
});

test("the runbook lists every metric of a fleet with its labels", () => {
  const own = [
    ...read("packages/server/src/observability/fleet-metric-definitions.ts").matchAll(/name: "(fairlead_\w+)"/g),
  ];
  for (const [, name = ""] of own) {
    const [, , listed] = /^\|([^|]*)\|([^|]*)\|/.exec(runbook.slice(runbook.indexOf(`| \`${name}\` |`))) ?? [];
    expect(
      [...(listed ?? "").matchAll(/`(\w+)`/g)].map(([, label]) => label),
      name,
    ).toEqual(labelsOf(name));
  }
});

/** The name of a metric without the ending of one of its series. */
function baseOf(name: string): string {
  return name.replace(/_(bucket|sum|count)$/, "");
}

function labelsOf(name: string): string[] {
  const definition = definitions.slice(definitions.indexOf(`"${name}"`)).split("})")[0] ?? "";
  return [...(/labelNames: \[([^\]]*)\]/.exec(definition)?.[1] ?? "").matchAll(/"(\w+)"/g)].map(
    ([, label]) => label ?? "",
  );
}
