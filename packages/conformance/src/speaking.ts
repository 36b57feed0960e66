import { setTimeout as wait } from "node:timers/promises";
import type { Rehearsal } from "./rehearsal.ts";

/** Waits until the model speaks: a delta shows it, or, of an agent that streams nothing, that its model was asked. */
export async function speaking(rehearsal: Rehearsal, prompt: string): Promise<void> {
  if (rehearsal.declares("streaming")) {
    return await rehearsal.until(() => rehearsal.deltas("text.delta").length > 0, "a delta");
  }
  await rehearsal.the("turn.started");
  const asked = async (): Promise<boolean> =>
    (await rehearsal.stage.context?.())?.includes(prompt.slice(0, 20)) ?? true;
  const deadline = AbortSignal.timeout(rehearsal.patience);
  while (!(await asked())) await wait(20, undefined, { signal: deadline });
}
