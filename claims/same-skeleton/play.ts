/** Has agents carry out one brief, and prints the kinds of their events as JSON: `node play.ts AGENT…`, offline. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { Rehearsal } from "@fairlead/conformance";
import { stages } from "@fairlead/lab";

export interface Played {
  readonly agent: string;
  readonly version: string | null;
  readonly kinds: readonly string[];
}

for (const agent of process.argv.slice(2)) console.log(JSON.stringify(await played(agent)));

async function played(agent: string): Promise<Played> {
  const adapter = adapters.find(({ manifest }) => manifest.id === agent);
  const openStage = stages[agent];
  if (adapter === undefined || openStage === undefined) throw new Error(`There is no stage for ${agent}.`);
  const folder = mkdtempSync(join(tmpdir(), "sk-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  await using stage = await openStage(join(folder, "s"));
  await using rehearsal = await Rehearsal.open(adapter, stage, folder);
  const session = await rehearsal.start();
  await rehearsal.play(
    { acts: [{ write: { path: "note.txt", content: "x" } }] },
    { acts: [{ run: "mkdir one" }] },
    { acts: [{ run: "cat no-such-file" }] },
    { text: "Done." },
  );
  const open = (): string | undefined => {
    const resolved = new Set(rehearsal.all("decision.resolved").map(({ decision }) => decision));
    return rehearsal.all("decision.requested").find(({ decision }) => !resolved.has(decision))?.decision;
  };
  const over = (): boolean => rehearsal.all("turn.ended").length > 0;
  for (;;) {
    await rehearsal.until(() => over() || open() !== undefined, "the end of the turn, or a decision");
    const decision = open();
    if (over() || decision === undefined) break;
    await session.answer(decision, { type: "allow" }).catch(() => {});
    await rehearsal.until(() => open() !== decision || over(), "the decision's resolution");
  }
  await rehearsal.end();
  const started = rehearsal.all("session.started")[0];
  return { agent, version: started?.agentVersion ?? null, kinds: rehearsal.events.map(({ body }) => body.type) };
}
