import { installAgent, resolveAgentVersion } from "@fairlead/lab";
import type { Claim } from "../../measure/claim.ts";
import { root, runQuietly } from "../../scripts/run.ts";
import { driveByPackage, makeRepository, type DrivenSession } from "./drive-session.ts";
import { McpBench } from "./mcp-bench.ts";
import type { RealClientResult } from "./real-client.ts";
import { tryToAnswer } from "./try-to-answer.ts";

const eras = ["legacy", { pin: "2026-07-28" }] as const;
const minWays = 10;

export const mcpServer: Claim = {
  id: "mcp-server",
  statement: "Programs drive sessions over MCP, in both eras of the protocol, and none of them answers a decision.",
  bound: `the protocol's client package in both eras and real claude-code: start, wait, send, read a diff, stop; ≥ ${minWays} ways to have a call run: 0 answered; control: with the scope approve, a decision is answered and a session acts unasked`,
  async prove() {
    const driven: DrivenSession[] = [];
    {
      await using bench = await McpBench.open();
      makeRepository(bench.workspace);
      for (const era of eras) driven.push(await driveByPackage(bench, era));
    }
    const agent = "claude-code";
    await installAgent(agent);
    const real = await runRealClient();
    const { ways, answered, answeredWithScope, actedWithScope } = await tryToAnswer();
    const lines = [...driven, real].map((one) => `${one.client}: ${describeDriven(one)}`);
    return {
      measured:
        `${lines.join("; ").replace(agent, `real ${agent} ${resolveAgentVersion(agent)}`)}; ` +
        `${real.attempts} attempts of ${agent}: ${real.allowed} calls allowed; ` +
        `${ways} ways to answer: ${answered.length} answered${answered.map((name) => ` (${name})`).join("")}; ` +
        `control with the scope approve: the decision is ${answeredWithScope ? "answered" : "NOT ANSWERED"}, ` +
        `a session without approvals ${actedWithScope ? "acts" : "DOES NOT ACT"}`,
      holds:
        [...driven, real].every((one) => !Object.values(one).includes(false)) &&
        real.allowed === 0 &&
        real.attempts > 0 &&
        ways >= minWays &&
        answered.length === 0 &&
        answeredWithScope &&
        actedWithScope,
    };
  },
};

function describeDriven(parts: DrivenSession): string {
  const checked = Object.entries(parts).filter(([, value]) => typeof value === "boolean");
  return checked.map(([name, works]) => (works ? name : `NOT ${name}`)).join(", ");
}

async function runRealClient(): Promise<RealClientResult> {
  const { code, output } = await runQuietly("scripts/offline", ["node", `${root}claims/mcp-server/real-client.ts`]);
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  if (code !== 0 || !last.startsWith("{")) throw new Error(output);
  if (last.includes("false")) console.log(output);
  return JSON.parse(last) as RealClientResult;
}
