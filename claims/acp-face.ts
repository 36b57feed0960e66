import { agentVersion, installAgent } from "@fairlead/lab";
import { root, runQuietly } from "../scripts/run.ts";
import { acpxVersion, installAcpx } from "./acp-face/install-acpx.ts";
import type { RealAgentOptions, Seen } from "./acp-face/real-agent.ts";
import type { Claim } from "./claim.ts";

const agents = ["claude-code", "codex"];
const clients = ["sdk", "acpx"] as const;

export const acpFace: Claim = {
  id: "acp-face",
  says: "To a client of the Agent Client Protocol, any agent is one: prompt, permission, cancel, and taking up again.",
  bound: "everything is shown, by two clients that are not ours; a face that answers permissions by itself is caught",
  async prove() {
    await installAcpx();
    const lines: string[] = [];
    let holds = true;
    for (const agent of agents) {
      await installAgent(agent);
      for (const client of clients) {
        const seen = await shown({ agent, client, face: "fairlead" });
        if (Object.values(seen).includes(false)) holds = false;
        const name = client === "acpx" ? `acpx ${acpxVersion}` : "the SDK's client";
        lines.push(`${name} × ${agent} ${agentVersion(agent)}: ${told(seen)}`);
      }
    }
    const control = await shown({ agent: "claude-code", client: "sdk", face: "presumptuous" });
    const caught = !control.allow && !control.reject;
    lines.push(`control, a face that answers by itself: ${caught ? "caught" : "NOT CAUGHT"}`);
    return { measured: lines.join("; "), holds: holds && caught };
  },
};

function told(seen: Seen): string {
  const looked = Object.entries(seen).filter(([, was]) => was !== null);
  const right = looked.filter(([, was]) => was).map(([what]) => what);
  const wrong = looked.filter(([, was]) => !was).map(([what]) => what);
  return right.join(", ") + (wrong.length === 0 ? "" : `; NOT ${wrong.join(", ")}`);
}

async function shown(options: RealAgentOptions): Promise<Seen> {
  const program = `${root}claims/acp-face/real-agent.ts`;
  const { code, output } = await runQuietly("scripts/offline", ["node", program, JSON.stringify(options)]);
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  if (code !== 0 || !last.startsWith("{")) throw new Error(output);
  if (last.includes("false")) console.log(output);
  return JSON.parse(last) as Seen;
}
