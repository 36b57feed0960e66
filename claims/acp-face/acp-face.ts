import { resolveAgentVersion, installAgent } from "@fairlead/lab";
import { root, runQuietly } from "../../scripts/run.ts";
import { acpxVersion, installAcpx } from "./install-acpx.ts";
import type { AcpFaceOptions, AcpFaceResult } from "./real-agent.ts";
import type { Claim } from "../../measure/claim.ts";

const agents = ["claude-code", "codex"];
const clients = ["sdk", "acpx"] as const;

export const acpFace: Claim = {
  id: "acp-face",
  statement: "Any agent works behind the Agent Client Protocol: prompt, permission, cancel, load.",
  bound: "all of it, with two independent clients; control: an interface that answers permissions itself is detected",
  async prove() {
    await installAcpx();
    const lines: string[] = [];
    let holds = true;
    for (const agent of agents) {
      await installAgent(agent);
      for (const client of clients) {
        const result = await runClient({ agent, client, face: "fairlead" });
        if (Object.values(result).includes(false)) holds = false;
        const name = client === "acpx" ? `acpx ${acpxVersion}` : "the SDK's client";
        lines.push(`${name} × ${agent} ${resolveAgentVersion(agent)}: ${describeResult(result)}`);
      }
    }
    const control = await runClient({ agent: "claude-code", client: "sdk", face: "presumptuous" });
    const isCaught = !control.allow && !control.reject;
    lines.push(`control, a face that answers by itself: ${isCaught ? "caught" : "NOT CAUGHT"}`);
    return { measured: lines.join("; "), holds: holds && isCaught };
  },
};

function describeResult(result: AcpFaceResult): string {
  const checked = Object.entries(result).filter(([, passed]) => passed !== null);
  const passedNames = checked.filter(([, passed]) => passed).map(([name]) => name);
  const failedNames = checked.filter(([, passed]) => !passed).map(([name]) => name);
  return passedNames.join(", ") + (failedNames.length === 0 ? "" : `; NOT ${failedNames.join(", ")}`);
}

async function runClient(options: AcpFaceOptions): Promise<AcpFaceResult> {
  const program = `${root}claims/acp-face/real-agent.ts`;
  const { code, output } = await runQuietly("scripts/offline", ["node", program, JSON.stringify(options)]);
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  if (code !== 0 || !last.startsWith("{")) throw new Error(output);
  if (last.includes("false")) console.log(output);
  return JSON.parse(last) as AcpFaceResult;
}
