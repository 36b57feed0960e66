import { agentVersion, installAgent } from "@fairlead/lab";
import { root, runQuietly } from "../scripts/run.ts";
import type { Claim } from "./claim.ts";

/** Everything that the protocol has: nine endpoints and one stream, and every event in each of its forms. */
const protocol = [
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
/** The mock has no limit of turns that could be reached. */
const beyondTheMock = ["completion max_turns"];

interface Seen {
  readonly shown: readonly string[];
  readonly messages: number;
  readonly faults: readonly string[];
  readonly removed: number;
  readonly caught: number;
}

export const shimWire: Claim = {
  id: "shim-wire",
  says: "To a backend that speaks the protocol of adapter shims, any agent is one.",
  bound:
    "0 faults, by a client that shares no code with ours; the mock shows all but a limit of turns, all together everything; every removed field is caught",
  async prove() {
    const lines: string[] = [];
    const together = new Set<string>();
    let holds = true;
    for (const agent of ["scripted", "claude-code", "codex"]) {
      const isMock = agent === "scripted";
      if (!isMock) await installAgent(agent);
      const { shown, messages, faults, removed, caught } = await toured(agent);
      for (const one of shown) together.add(one);
      const missing = protocol.filter((one) => !shown.includes(one));
      if (faults.length > 0) console.log(faults.join("\n"));
      holds &&= faults.length === 0 && removed > 0 && caught === removed;
      if (isMock) holds &&= missing.every((one) => beyondTheMock.includes(one));
      const name = isMock ? "mock" : `${agent} ${agentVersion(agent)}`;
      const rest = missing.length === 0 ? "" : ` (not ${missing.join(", ")})`;
      lines.push(
        `${name}: ${faults.length} faults in ${messages} messages, ${protocol.length - missing.length} of ` +
          `${protocol.length} shown${rest}, control ${caught} of ${removed} caught`,
      );
    }
    const isWhole = protocol.every((one) => together.has(one));
    return { measured: lines.join("; "), holds: holds && isWhole };
  },
};

async function toured(agent: string): Promise<Seen> {
  const program = `${root}claims/shim-wire/real-agent.ts`;
  const { code, output } = await runQuietly("scripts/offline", ["node", program, JSON.stringify({ agent })]);
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  if (code !== 0 || !last.startsWith("{")) throw new Error(output);
  return JSON.parse(last) as Seen;
}
