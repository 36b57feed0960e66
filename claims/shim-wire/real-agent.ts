/** Runs an independent client against `fairlead shim`, on a real agent or the mock, offline. Prints its observations as JSON. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testBenches } from "@fairlead/lab";
import { ChildProgram } from "../../measure/child-program.ts";
import { TestHome } from "../../measure/test-home.ts";
import { createBriefs } from "./create-briefs.ts";
import { countRemovals } from "./count-removals.ts";
import { exerciseProtocol } from "./exercise-protocol.ts";
import type { ShimAddress } from "./shim-test-client.ts";

const { agent } = JSON.parse(process.argv[2] ?? "") as { agent: string };
const openBench = testBenches[agent];
if (openBench === undefined) throw new Error(`The lab has no stage for ${agent}.`);
const folder = mkdtempSync(join(tmpdir(), "w-"));
using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
const workspace = join(folder, "w");
mkdirSync(workspace);
await using bench = await openBench(join(folder, "s"));
await using testHome = new TestHome(bench.environment);
const env = { ...bench.environment, FAIRLEAD_HOME: testHome.home.folder, FAIRLEAD_DAEMON: "off" };
const agentArgs = agent === "scripted" ? ["--mock"] : ["--agent", agent];
// The settings of some benches shorten deadlines. Only a shim with all modes accepts such settings in a brief.
const modeArgs = bench.settings ? ["--allow-modes", "dangerously-skip-permissions"] : [];
const shimArgs = ["shim", "--port", "0", "--workspace", workspace, ...agentArgs, ...modeArgs];
const main = new URL("../../packages/cli/src/main.ts", import.meta.url);

await using shims = new AsyncDisposableStack();
let shim: ChildProgram | undefined;
const start = async (): Promise<ShimAddress> => {
  await shim?.kill();
  shim = shims.use(new ChildProgram(main, null, { env, args: shimArgs }));
  const url = /http:\S+\d/.exec(await shim.readLine())?.[0] ?? "";
  return { url, token: /Bearer (\S+)/.exec(await shim.readLine())?.[1] ?? "" };
};

const { shown, messages, faults, checkedMessages } = await exerciseProtocol(
  await start(),
  createBriefs(agent, bench, workspace),
  start,
);
// The last shim is stopped cleanly, so that it also ends its spare keeper.
if (shim !== undefined) process.kill(shim.pid, "SIGTERM");
await shim?.ended;
console.log(JSON.stringify({ shown, messages, faults, ...countRemovals(checkedMessages) }));
