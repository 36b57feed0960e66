/** Drives a real agent through the face, by a client that is not ours, and prints what was shown, as JSON; offline. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stages } from "@fairlead/lab";
import { Ground } from "../ground.ts";
import { AcpxClient } from "./acpx-client.ts";
import type { Scene } from "./client.ts";
import { SdkClient } from "./sdk-client.ts";

export interface RealAgentOptions {
  readonly agent: string;
  readonly client: "sdk" | "acpx";
  /** The face is ours, or one that answers permissions by itself. */
  readonly face: "fairlead" | "presumptuous";
}

/** What was shown, true for each that was right. */
export interface Seen {
  readonly prompt: boolean;
  readonly allow: boolean;
  readonly reject: boolean;
  readonly cancel: boolean;
  /** The history came; null for a client that does not ask for it. */
  readonly history: boolean | null;
  readonly goesOn: boolean;
}

const { agent, client: kind, face } = JSON.parse(process.argv[2] ?? "") as RealAgentOptions;
const openStage = stages[agent];
if (openStage === undefined) throw new Error(`The lab has no stage for ${agent}.`);
const world = mkdtempSync(join(tmpdir(), "a-"));
using _ = { [Symbol.dispose]: () => rmSync(world, { recursive: true, force: true }) };
const workspace = join(world, "w");
mkdirSync(workspace);
await using stage = await openStage(join(world, "s"));
await using ground = new Ground(stage.environment);
const main = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));
const settings = Object.entries(stage.settings ?? {}).flatMap(([key, value]) => ["--set", `${key}=${String(value)}`]);
const fairlead = [process.execPath, main, "acp", "--agent", agent, ...settings] as const;
const presumptuous = [
  process.execPath,
  fileURLToPath(new URL("presumptuous.ts", import.meta.url)),
  ...fairlead,
] as const;
const scene: Scene = {
  command: [...(face === "fairlead" ? fairlead : presumptuous)],
  workspace,
  environment: { ...stage.environment, FAIRLEAD_HOME: ground.home.folder, FAIRLEAD_DAEMON: "off" },
};
const message = (...steps: Parameters<typeof stage.prompt>[0]): string => stage.prompt(steps, workspace) ?? "";
const writes = (path: string): string =>
  message({ acts: [{ write: { path, content: "x\n" } }] }, { text: "So be it." });

await using client = await (kind === "sdk" ? SdkClient.open(scene) : AcpxClient.open(scene));
const prompt = await client.prompt(message({ text: "The word is heliotrope.", chunks: 3 }), "reject");
const allow = await client.prompt(writes("allowed.txt"), "allow");
const reject = await client.prompt(writes("rejected.txt"), "reject");
const long = { text: "one two three four five six", chunks: 6, chunkDelay: 3000 };
const cancel = await client.promptAndCancel(message(long));
const next = await client.prompt(message({ text: "The next is marmalade.", chunks: 3 }), "reject");
const history = await client.reopen();
const after = await client.prompt(message({ text: "The other is parsnip.", chunks: 3 }), "reject");
const context = (await stage.context?.()) ?? "";
const seen: Seen = {
  prompt: prompt.text === "The word is heliotrope." && prompt.stopReason === "end_turn",
  allow: allow.asked === 1 && existsSync(join(workspace, "allowed.txt")),
  reject: reject.asked === 1 && !existsSync(join(workspace, "rejected.txt")),
  cancel: cancel.stopReason === "cancelled" && next.text === "The next is marmalade.",
  history: history === null ? null : history.includes("heliotrope") && history.includes("So be it."),
  goesOn: after.text === "The other is parsnip." && context.includes("The word is heliotrope."),
};
if (Object.values(seen).includes(false))
  console.error(JSON.stringify({ prompt, allow, reject, cancel, next, after }, null, 2));
console.log(JSON.stringify(seen));
