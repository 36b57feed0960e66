import { adapters } from "@fairlead/adapters";
import { testBenches } from "@fairlead/lab";
import type { Claim } from "../../measure/claim.ts";
import { root, runQuietly } from "../../scripts/run.ts";
import { invocations } from "./invocations.ts";
import type { EnforcementOptions } from "./real-agent.ts";
import type { AgentReport, ControlReport, Refusal } from "./refusals.ts";

/** Every agent with a test bench, and those with a lesser protocol once more over that. */
const subjects = adapters
  .filter(({ manifest }) => manifest.id in testBenches)
  .flatMap(({ manifest: { id, fallback } }) => [
    { name: id, options: { agent: id } },
    ...(fallback === undefined
      ? []
      : [{ name: `${id} ${fallback.protocol}`, options: { agent: id, usesFallback: true } }]),
  ]);
/** Agents that ask for approval and cannot take an edit. */
const controls = adapters
  .map(({ manifest }) => manifest)
  .filter(({ capabilities: c }) => c.includes("approvals") && !c.includes("edited-approvals"))
  .filter(({ id }) => id in testBenches)
  .map(({ id }) => id);
const features = [...new Set(invocations.map(({ feature }) => feature))];

export const capabilityEnforced: Claim = {
  id: "capability-enforced",
  statement: "A call that needs what an agent lacks is refused with not-supported, and changes nothing.",
  bound:
    "every real program and call that it lacks, in every moment of a session, twice: all refused, 0 side effects; control: check off, codex runs the original of an edited approval",
  async prove() {
    const reports = new Map<string, AgentReport>();
    for (const { name, options } of subjects) reports.set(name, await runOffline<AgentReport>(options));
    printTable(reports);
    const refusals = [...reports.values()].flatMap((report) => report.refusals);
    const wrong = refusals.filter((refusal) => !isRefused(refusal));
    const problems = [...reports].flatMap(([name, report]) => report.problems.map((problem) => `${name}: ${problem}`));
    for (const problem of [...wrong.map((refusal) => JSON.stringify(refusal)), ...problems]) console.log(problem);
    const outcomes = new Map<string, ControlReport>();
    for (const agent of controls) outcomes.set(agent, await runOffline<ControlReport>({ agent, checkOff: true }));
    const sideEffects = refusals.reduce((sum, refusal) => sum + refusal.sideEffects.length, 0);
    const cells = new Set([...reports].flatMap(([name, report]) => report.refusals.map((one) => name + one.feature)));
    return {
      measured: `${reports.size} agents, ${cells.size} agent-feature pairs, ${refusals.length * 2} calls: ${refusals.length * 2 - countAccepted(refusals)} refused with not-supported, ${sideEffects} side effects, ${problems.length} sessions that did not continue as they should; control: ${[...outcomes].map(describeControl).join(", ")}`,
      holds: wrong.length === 0 && problems.length === 0 && cells.size > 0 && runsOriginal(outcomes.get("codex")),
    };
  },
};

async function runOffline<Report>(options: EnforcementOptions): Promise<Report> {
  await runQuietly("node", ["scripts/install-agents.ts", options.agent]);
  const program = `${root}claims/capability-enforced/real-agent.ts`;
  const { code, output } = await runQuietly("scripts/offline", ["node", program, JSON.stringify(options)]);
  if (code !== 0) throw new Error(`${options.agent}: ${output}`);
  return JSON.parse(output.trimEnd().split("\n").at(-1) ?? "") as Report;
}

function isRefused({ outcomes, sideEffects }: Refusal): boolean {
  return outcomes.every((outcome) => outcome === "not-supported") && sideEffects.length === 0;
}

function countAccepted(refusals: readonly Refusal[]): number {
  return refusals.flatMap(({ outcomes }) => outcomes).filter((outcome) => outcome !== "not-supported").length;
}

function runsOriginal(report: ControlReport | undefined): boolean {
  return report?.accepted === true && report.written === "asked" && report.journalSaysEdited;
}

function describeControl([agent, report]: readonly [string, ControlReport]): string {
  if (!report.accepted) return `${agent} refuses`;
  const journal = report.journalSaysEdited ? "the journal says the edit" : "the journal says no edit";
  const ran = report.written === "asked" ? "the original" : report.written === "" ? "nothing" : "the edit";
  return `${agent} runs ${ran} and ${journal}`;
}

/** Prints how many calls of each feature each agent refused. A dot: the agent has it, or no such call can be made. */
function printTable(reports: ReadonlyMap<string, AgentReport>): void {
  const rows = [...reports].map(([name, { refusals }]) => {
    const cells = features.map((feature) => {
      const made = refusals.filter((refusal) => refusal.feature === feature);
      return made.length === 0 ? "·" : `${made.filter(isRefused).length * 2}/${made.length * 2}`;
    });
    return `| ${[name, ...cells].join(" | ")} |`;
  });
  console.log(
    [`| agent | ${features.join(" | ")} |`, `| --- |${" --- |".repeat(features.length)}`, ...rows].join("\n"),
  );
}
