/** Kills the runtime while a real agent works, and prints the toll: `scripts/offline node real-agent.ts OPTIONS`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stages } from "@fairlead/lab";
import { Chance } from "../chance.ts";
import { Ground } from "../ground.ts";
import { toll } from "./toll.ts";

export interface RealAgentOptions {
  readonly agent: string;
  readonly seed: number;
  readonly kills: number;
}

/** Stated in each answer: the lab's own numbers differ from session to session, and journals are to be compared. */
const usage = { input: 7, output: 5, cacheRead: 3, cacheWrite: 2 };

const steps = Array.from({ length: 12 }, (_, at) => ({
  text: `Step ${at + 1} comes in pieces, so that a kill can fall between any two of them.`,
  chunks: 8,
  chunkDelay: 30,
  usage,
  acts: [
    at % 2 === 1
      ? { write: { path: `note-${at + 1}.txt`, content: `note ${at + 1}\n` } }
      : { run: `echo begin ${at + 1}; sleep 0.2; echo end ${at + 1}` },
  ],
}));

const last = { text: "All is done.", usage };

const { agent, seed, kills } = JSON.parse(process.argv[2] ?? "") as RealAgentOptions;
const openStage = stages[agent];
if (openStage === undefined) throw new Error(`The lab has no stage for ${agent}.`);
const world = mkdtempSync(join(tmpdir(), "s-"));
using _ = { [Symbol.dispose]: () => rmSync(world, { recursive: true, force: true }) };
await using stage = await openStage(world);
await using ground = new Ground(stage.environment);
const counted = await toll(
  {
    ground,
    start: (workspace) => ({ agent: agent, workspace, mode: "full-auto", settings: stage.settings }),
    message: (workspace) => stage.prompt([...steps, last], workspace) ?? "",
    lastWords: '"type":"result"',
    within: 2000,
    chance: new Chance(seed),
  },
  kills,
);
console.log(JSON.stringify(counted));
