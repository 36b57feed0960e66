/** Drives a real agent through the ACP interface with an independent client, offline, and prints the results as JSON. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testBenches } from "@fairlead/lab";
import { TestHome } from "../../measure/test-home.ts";
import { AcpxClient } from "./acpx-client.ts";
import type { ClientSetup } from "./acp-test-client.ts";
import { SdkClient } from "./sdk-client.ts";

export interface AcpFaceOptions {
  readonly agent: string;
  readonly client: "sdk" | "acpx";
  /** Whether the interface is ours, or one that answers permissions itself. */
  readonly face: "fairlead" | "presumptuous";
}

/** The checks, true for each that passed. */
export interface AcpFaceResult {
  readonly prompt: boolean;
  readonly allow: boolean;
  readonly reject: boolean;
  readonly cancel: boolean;
  /** The history was received; null for a client that does not request it. */
  readonly history: boolean | null;
  readonly continues: boolean;
}

const { agent, client: kind, face } = JSON.parse(process.argv[2] ?? "") as AcpFaceOptions;
const openBench = testBenches[agent];
if (openBench === undefined) throw new Error(`The lab has no stage for ${agent}.`);
const folder = mkdtempSync(join(tmpdir(), "a-"));
using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
const workspace = join(folder, "w");
mkdirSync(workspace);
await using bench = await openBench(join(folder, "s"));
await using testHome = new TestHome(bench.environment);
const main = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));
const settings = Object.entries(bench.settings ?? {}).flatMap(([key, value]) => ["--set", `${key}=${String(value)}`]);
const fairlead = [process.execPath, main, "acp", "--agent", agent, ...settings] as const;
const selfApproving = [
  process.execPath,
  fileURLToPath(new URL("self-approving-proxy.ts", import.meta.url)),
  ...fairlead,
] as const;
const setup: ClientSetup = {
  command: [...(face === "fairlead" ? fairlead : selfApproving)],
  workspace,
  environment: { ...bench.environment, FAIRLEAD_HOME: testHome.home.folder, FAIRLEAD_DAEMON: "off" },
};
const createPrompt = (...steps: Parameters<typeof bench.buildPrompt>[0]): string =>
  bench.buildPrompt(steps, workspace) ?? "";
const promptToWrite = (path: string): string =>
  createPrompt({ actions: [{ write: { path, content: "x\n" } }] }, { text: "So be it." });

await using client = await (kind === "sdk" ? SdkClient.open(setup) : AcpxClient.open(setup));
const prompt = await client.prompt(createPrompt({ text: "The word is heliotrope.", chunks: 3 }), "reject");
const allow = await client.prompt(promptToWrite("allowed.txt"), "allow");
const reject = await client.prompt(promptToWrite("rejected.txt"), "reject");
const long = { text: "one two three four five six", chunks: 6, chunkDelay: 3000 };
const cancel = await client.promptAndCancel(createPrompt(long));
const next = await client.prompt(createPrompt({ text: "The next is marmalade.", chunks: 3 }), "reject");
const history = await client.reopen();
const after = await client.prompt(createPrompt({ text: "The other is parsnip.", chunks: 3 }), "reject");
const context = (await bench.readModelContext?.()) ?? "";
const result: AcpFaceResult = {
  prompt: prompt.text === "The word is heliotrope." && prompt.stopReason === "end_turn",
  allow: allow.permissionRequests === 1 && existsSync(join(workspace, "allowed.txt")),
  reject: reject.permissionRequests === 1 && !existsSync(join(workspace, "rejected.txt")),
  cancel: cancel.stopReason === "cancelled" && next.text === "The next is marmalade.",
  history: history === null ? null : history.includes("heliotrope") && history.includes("So be it."),
  continues: after.text === "The other is parsnip." && context.includes("The word is heliotrope."),
};
if (Object.values(result).includes(false))
  console.error(JSON.stringify({ prompt, allow, reject, cancel, next, after }, null, 2));
console.log(JSON.stringify(result));
