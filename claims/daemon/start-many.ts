import type { Fairlead } from "@fairlead/api";
import type { Ground } from "../ground.ts";
import { atOnce } from "./at-once.ts";

/** Starts so many sessions with the scripted agent, and gives their ids. */
export async function startMany(fairlead: Fairlead, ground: Ground, count: number): Promise<string[]> {
  const workspace = ground.workspace();
  return await atOnce(4, Array.from({ length: count }), async () => {
    const { session } = await fairlead.start({ agent: "scripted", workspace });
    return session;
  });
}
