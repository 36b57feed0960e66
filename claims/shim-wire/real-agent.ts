/** Takes an outside client through `fairlead shim`, over a real agent or the mock, and prints what it saw, as JSON; offline. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stages } from "@fairlead/lab";
import { Child } from "../child.ts";
import { Ground } from "../ground.ts";
import { briefsFor } from "./briefs.ts";
import { removals } from "./removals.ts";
import { tour } from "./tour.ts";

const { agent } = JSON.parse(process.argv[2] ?? "") as { agent: string };
const openStage = stages[agent];
if (openStage === undefined) throw new Error(`The lab has no stage for ${agent}.`);
const world = mkdtempSync(join(tmpdir(), "w-"));
using _ = { [Symbol.dispose]: () => rmSync(world, { recursive: true, force: true }) };
const workspace = join(world, "w");
mkdirSync(workspace);
await using stage = await openStage(join(world, "s"));
await using ground = new Ground(stage.environment);
const env = { ...stage.environment, FAIRLEAD_HOME: ground.home.folder, FAIRLEAD_DAEMON: "off" };
const which = agent === "scripted" ? ["--mock"] : ["--agent", agent];
const words = ["shim", "--port", "0", "--workspace", workspace, ...which];
const main = new URL("../../packages/cli/src/main.ts", import.meta.url);

await using shims = new AsyncDisposableStack();
let shim: Child | undefined;
const start = async (): Promise<string> => {
  await shim?.kill();
  shim = shims.use(new Child(main, null, { env, words }));
  return /http:\S+\d/.exec(await shim.line())?.[0] ?? "";
};

const { shown, messages, faults, seen } = await tour(await start(), briefsFor(agent, stage, workspace), start);
// The last one is let go in order, so that it takes along what it had ready for the next agent.
if (shim !== undefined) process.kill(shim.pid, "SIGTERM");
await shim?.ended;
console.log(JSON.stringify({ shown, messages, faults, ...removals(seen) }));
