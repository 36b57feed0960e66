/** Times the starts of a real agent and prints them: `scripts/offline node real-agent.ts OPTIONS`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { stages } from "@fairlead/lab";
import { Runtime } from "@fairlead/runtime";
import { Ground } from "../../claims/ground.ts";
import { race } from "./race.ts";

export interface RealStartOptions {
  readonly agent: string;
  readonly rounds: number;
}

const { agent, rounds } = JSON.parse(process.argv[2] ?? "") as RealStartOptions;
const adapter = adapters.find(({ manifest }) => manifest.id === agent);
const openStage = stages[agent];
if (adapter === undefined || openStage === undefined) throw new Error(`The lab has no stage for ${agent}.`);
const world = mkdtempSync(join(tmpdir(), "s-"));
using _ = { [Symbol.dispose]: () => rmSync(world, { recursive: true, force: true }) };
await using stage = await openStage(world);
await using ground = new Ground(stage.environment);
const { environment, home } = ground;
await using runtime = await Runtime.open({ home, adapters, environment, spares: true });
const message = stage.prompt([{ text: "Good morning." }], world);
const start = { agent, workspace: ground.workspace(), settings: stage.settings };
console.log(JSON.stringify(await race({ runtime, adapter, start, environment, message, rounds })));
