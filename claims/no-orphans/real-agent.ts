/** Ends sessions of a real agent with a running command, and prints how many processes were left, as JSON. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { stages } from "@fairlead/lab";
import { Ground } from "../ground.ts";
import { endings, round } from "./round.ts";
import { nasty } from "./nasty.ts";

const { agent, rounds } = JSON.parse(process.argv[2] ?? "") as { agent: string; rounds: number };
const openStage = stages[agent];
if (openStage === undefined) throw new Error(`The lab has no stage for ${agent}.`);
const world = mkdtempSync(join(tmpdir(), "s-"));
using _ = { [Symbol.dispose]: () => rmSync(world, { recursive: true, force: true }) };
await using stage = await openStage(world);
await using ground = new Ground(stage.environment);
/** The mode in which it asks nobody, or has somebody who answers. */
const modes = adapters.find(({ manifest }) => manifest.id === agent)?.manifest.modes ?? [];
const mode = (["full-auto", "dangerously-skip-permissions"] as const).find((one) => modes.includes(one));
const left: number[] = [];
for (let at = 0; at < rounds; at += 1) {
  const work = {
    start: (workspace: string) => ({ agent, workspace, settings: stage.settings, ...(mode && { mode }) }),
    message: (mark: string, workspace: string) =>
      stage.prompt([{ acts: [{ run: nasty(mark) }] }, { text: "Never said." }], workspace) ?? "",
    processes: 3,
  };
  left.push(await round(ground, work, endings[at % endings.length] ?? "stop"));
}
console.log(JSON.stringify(left));
