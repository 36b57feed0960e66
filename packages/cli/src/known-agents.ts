import type { Fairlead } from "@fairlead/api";
import { plain } from "./render/plain.ts";
import { table } from "./render/table.ts";

/** The agents that were judged, each with a word on whether it is installed. */
export async function knownAgents(fairlead: Fairlead): Promise<string> {
  const judged = (await fairlead.agents()).filter(({ verified }) => verified);
  const rows = judged.map(({ agent, label, finding: { installed, version } }) => {
    return [`  ${agent}`, label, installed ? `installed (${plain(version ?? "no version")})` : "not installed"];
  });
  return table(rows).join("\n");
}
