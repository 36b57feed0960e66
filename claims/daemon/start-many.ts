import type { Fairlead } from "@fairlead/api";
import type { TestHome } from "../../measure/test-home.ts";
import { mapConcurrently } from "./map-concurrently.ts";

/** Starts sessions of the scripted agent and returns their ids. */
export async function startSessions(fairlead: Fairlead, testHome: TestHome, count: number): Promise<string[]> {
  const workspace = testHome.workspace();
  return await mapConcurrently(4, Array.from({ length: count }), async () => {
    const { session } = await fairlead.start({ agent: "scripted", workspace });
    return session;
  });
}
