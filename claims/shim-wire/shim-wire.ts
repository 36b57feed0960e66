import { resolveAgentVersion, installAgent } from "@fairlead/lab";
import { root, runQuietly } from "../../scripts/run.ts";
import type { Claim } from "../../measure/claim.ts";

/** Everything in the protocol: nine endpoints, one stream, and every form of every event. */
const protocolParts = [
  "GET /health",
  ...["spawn", "kill", "pause", "resume", "resolve", "checkpoint", "inject-context", "update-brief"].map(
    (path) => `POST /${path}`,
  ),
  "WS /events",
  ...["requested", "running", "completed", "failed"].map((phase) => `tool_call ${phase}`),
  ...["success", "partial", "abandoned", "max_turns"].map((outcome) => `completion ${outcome}`),
  ...["started", "paused", "resumed", "killed", "crashed"].map((action) => `lifecycle ${action}`),
  ...["tool_approval", "option"].map((subtype) => `decision ${subtype}`),
  "status",
  "artifact",
  "error",
  "progress",
];
/** The mock has no turn limit. */
const unsupportedByMock = ["completion max_turns"];

interface ShimRunResult {
  readonly shown: readonly string[];
  readonly messages: number;
  readonly faults: readonly string[];
  readonly removed: number;
  readonly caught: number;
}

export const shimWire: Claim = {
  id: "shim-wire",
  statement: "Any agent works behind the wire protocol of adapter shims.",
  bound:
    "0 faults with a client that shares no code with ours; all event kinds; control: every removed field is detected",
  async prove() {
    const lines: string[] = [];
    const shownOverall = new Set<string>();
    let holds = true;
    for (const agent of ["scripted", "claude-code", "codex"]) {
      const isMock = agent === "scripted";
      if (!isMock) await installAgent(agent);
      const { shown, messages, faults, removed, caught } = await runShimClient(agent);
      for (const one of shown) shownOverall.add(one);
      const missing = protocolParts.filter((one) => !shown.includes(one));
      if (faults.length > 0) console.log(faults.join("\n"));
      holds &&= faults.length === 0 && removed > 0 && caught === removed;
      if (isMock) holds &&= missing.every((one) => unsupportedByMock.includes(one));
      const name = isMock ? "mock" : `${agent} ${resolveAgentVersion(agent)}`;
      const missingNote = missing.length === 0 ? "" : ` (not ${missing.join(", ")})`;
      lines.push(
        `${name}: ${faults.length} faults in ${messages} messages, ${protocolParts.length - missing.length} of ` +
          `${protocolParts.length} shown${missingNote}, control ${caught} of ${removed} caught`,
      );
    }
    const isComplete = protocolParts.every((one) => shownOverall.has(one));
    return { measured: lines.join("; "), holds: holds && isComplete };
  },
};

async function runShimClient(agent: string): Promise<ShimRunResult> {
  const program = `${root}claims/shim-wire/real-agent.ts`;
  const { code, output } = await runQuietly("scripts/offline", ["node", program, JSON.stringify({ agent })]);
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  if (code !== 0 || !last.startsWith("{")) throw new Error(output);
  return JSON.parse(last) as ShimRunResult;
}
