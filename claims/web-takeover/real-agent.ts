/**
 * A person takes over a session of a real agent in a browser, reloads the page in the middle of a message and hands back.
 * Prints the observations as JSON: `scripts/offline node real-agent.ts '{"agent":…}'`.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Event } from "@fairlead/contract";
import { testBenches } from "@fairlead/lab";
import { quantile } from "../../measure/quantile.ts";
import { measurePageEcho } from "./measure-echo.ts";
import { TerminalPage } from "./terminal-page.ts";

const { agent } = JSON.parse(process.argv[2] ?? "") as { agent: string };
const openBench = testBenches[agent];
if (openBench === undefined) throw new Error(`The lab has no test bench for ${agent}.`);
const folder = mkdtempSync(join(tmpdir(), "wt-"));
using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
const workspace = join(folder, "w");
mkdirSync(workspace);
await using bench = await openBench(join(folder, "s"));
const environment = {
  ...bench.environment,
  FAIRLEAD_HOME: join(folder, "h"),
  PATH: `${dirname(process.execPath)}:${bench.environment["PATH"] ?? ""}`,
};
const createPrompt = (text: string): string => bench.buildPrompt([{ text }], workspace) ?? "";
/** Milliseconds between two presses of the Enter key. */
const enterInterval = 4000;
const echoCount = 40;

await using terminal = await TerminalPage.open(workspace, environment);
const { page } = terminal;
const settings = Object.entries(bench.settings ?? {}).flatMap(([name, value]) => ["--set", `${name}=${String(value)}`]);
const mode = bench.mode === undefined ? [] : ["--mode", bench.mode];
await terminal.run(
  "run",
  agent,
  "--name",
  "one",
  ...mode,
  ...settings,
  "--",
  createPrompt("The first word is heliotrope."),
);
await terminal.takeOver("one");
await terminal.waitFor(/heliotrope/);

const echoes = await measurePageEcho(page, echoCount);
for (let at = 0; at < echoCount; at += 1) await page.keyboard.press("Backspace");

// The screen shows the word only when the agent says it: the message contains it in another form.
const message = createPrompt("The second word is marmalade.").replaceAll("marmalade", String.raw`marmalad\u0065`);
const middle = Math.floor(message.length / 2);
await page.keyboard.type(message.slice(0, middle));
await page.locator("[data-pending]").waitFor({ state: "detached" });
await page.reload();
await terminal.waitUntilOpen();
await terminal.waitFor(/heliotrope/);
await page.locator(".xterm-helper-textarea").focus();
await page.keyboard.type(message.slice(middle));
for (let attempts = 0; ; attempts += 1) {
  await page.keyboard.press("Enter");
  const isAnswered = await terminal.waitFor(/The second word is marmalade/, enterInterval).then(
    () => true,
    () => false,
  );
  if (isAnswered) break;
  if (attempts === 30) throw new Error(`The agent did not answer. The terminal shows:\n${await terminal.readScreen()}`);
}
// The screen shows an answer before the agent has stored it. A terminal that works shows it by an animation.
for (let before = ""; before !== (await terminal.readScreen()); await page.waitForTimeout(1500))
  before = await terminal.readScreen();
await terminal.handBack();
await terminal.run("resume", "one", createPrompt("The third word is parsnip."));
const context = (await bench.readModelContext?.()) ?? "";
const log = (await terminal.run("logs", "one", "--json")).split("\n").filter((line) => line.startsWith("{"));
const leads = log.flatMap((line) => {
  const { body } = JSON.parse(line) as Event;
  return body.type === "lead.changed" ? [body.lead] : [];
});
console.log(
  JSON.stringify({
    leads,
    knows: ["heliotrope", "marmalade", "parsnip"].filter((word) => context.includes(word)),
    echoes: echoes.length,
    echoP95: quantile(echoes, 0.95),
    problems: [...new Set(terminal.problems)].slice(0, 5),
  }),
);
