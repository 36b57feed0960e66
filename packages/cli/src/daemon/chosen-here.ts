import type { Start } from "@fairlead/api";
import type { FoundFile } from "@fairlead/runtime";
import type { Surroundings } from "../surroundings.ts";
import { TrustedFiles } from "../trust/trusted-files.ts";

export type Chooser = Pick<Surroundings, "environment" | "home">;

/**
 * An order with what the environment of this command chooses, where the order and the workspace leave it open: the
 * daemon has an environment of its own, which is that of whoever happened to start it.
 */
export async function chosenHere(order: Start, { environment, home }: Chooser): Promise<Start> {
  if (!environment["FAIRLEAD_AGENT"] && !environment["FAIRLEAD_MODEL"]) return order;
  const { agent, workspace, settings = {}, mode } = order;
  const { chooseAgent } = await import("../choose-agent.ts");
  const trusts = (file: FoundFile): boolean => new TrustedFiles(home).trusts(file);
  const asked = { workspace, settings, environment, trusts, ...(mode !== undefined && { mode }) };
  const { choice } = chooseAgent(agent === undefined ? [] : [agent], asked);
  if (choice === null) return order; // the daemon may know it, and will say so if it does not
  return { ...order, agent: choice.agent, settings: { ...choice.settings } };
}
