/**
 * Measures how quickly keys are shown in the browser, and whether 2,000 of them arrive in order. Prints the result as JSON.
 * Uses the scripted agent, whose terminal stores each line: `scripts/offline node keys-in-order.ts`.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Event } from "@fairlead/contract";
import { browserTransport, RemoteFairlead } from "@fairlead/client";
import { quantile } from "../../measure/quantile.ts";
import { measureBareEcho, measurePageEcho } from "./measure-echo.ts";
import { TerminalPage } from "./terminal-page.ts";

const keyCount = 2000;
const echoCount = 200;
/** Requests that the control has at a time. */
const controlRequests = 20;

const folder = mkdtempSync(join(tmpdir(), "wt-"));
using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
const workspace = join(folder, "w");
mkdirSync(workspace);
const stateFolder = join(folder, "s");
const environment = { ...process.env, FAIRLEAD_HOME: join(folder, "h"), XDG_STATE_HOME: stateFolder };
await using terminal = await TerminalPage.open(workspace, environment);
const { page } = terminal;
await terminal.run("run", "scripted", "--name", "one", "--", 'Say it. SCRIPT:[{"text":"The word is heliotrope."}]');
await terminal.takeOver("one");
await terminal.waitFor(/heliotrope/);

const echoes = await measurePageEcho(page, echoCount);
await page.keyboard.press("Enter");
const program = new URL("../../packages/adapters/programs/scripted-terminal.ts", import.meta.url).pathname;
const history = join(stateFolder, "fairlead-scripted");
writeFileSync(join(history, "bare.jsonl"), "{}\n");
const bare = await measureBareEcho(`${process.execPath} ${program} bare`, environment, echoCount);

const expected = createKeys("a");
const startedAt = performance.now();
await page.keyboard.type(expected);
await page.keyboard.press("Enter");
const typedAt = performance.now();
await page.locator("[data-pending]").waitFor({ state: "detached", timeout: 60_000 });
const settledAt = performance.now();

// The control types as many keys with several requests at a time, which overtake each other.
const unordered = createKeys("b");
const fairlead = new RemoteFairlead(browserTransport(terminal.origin, terminal.token));
const keys = unordered[Symbol.iterator]();
await Promise.all(
  Array.from({ length: controlRequests }, async () => {
    for (const key of keys) await fairlead.type("one", key);
  }),
);
await fairlead.type("one", "\r");
await terminal.handBack();

const log = (await terminal.run("logs", "one", "--json")).split("\n").filter((line) => line.startsWith("{"));
const inputs = log.flatMap((line) => {
  const { body } = JSON.parse(line) as Event;
  return body.type === "turn.started" ? [body.input] : [];
});
console.log(
  JSON.stringify({
    keyCount,
    isInOrder: inputs.includes(expected),
    isControlInOrder: inputs.includes(unordered),
    echoes: echoes.length,
    echoP50: quantile(echoes, 0.5),
    echoP95: quantile(echoes, 0.95),
    bareP50: quantile(bare, 0.5),
    bareP95: quantile(bare, 0.95),
    typingMs: typedAt - startedAt,
    settledMs: settledAt - startedAt,
    stored: readdirSync(history).length,
    problems: [...new Set(terminal.problems)].slice(0, 5),
  }),
);

/** Different keys in a row, so that a swap of two neighbors changes the text. */
function createKeys(prefix: string): string {
  let text = prefix;
  for (let number = 1; text.length < keyCount; number += 1) text += `${number.toString(36)} `;
  return `${text.slice(0, keyCount - 1)}.`;
}
