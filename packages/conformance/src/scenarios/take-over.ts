import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { FairleadError, type AgentEvent, type Event } from "@fairlead/contract";
import { listSessionProcesses } from "../session-processes.ts";
import type { ScenarioRun } from "../scenario-run.ts";
import type { Scenario } from "../scenario.ts";
import { sumReported, sumServed } from "./usage.ts";

/** Large enough for a full-screen program, and wide enough for a message on one line. */
const terminalSize = { columns: 200, rows: 50 };
/** Milliseconds between two presses of the Enter key. */
const enterIntervalMs = 4000;
const terminalFile = { path: "from-the-terminal.txt", content: "written\n" };

/** The escape sequence with which a program enables bracketed paste, which shows that it reads input. */
// oxlint-disable-next-line no-control-regex
const bracketedPasteEnabled = /\u001B\[\?2004h/;
/** The start of a paste as the kernel echoes it if the program does not read input yet. */
const echoedPasteStart = "^[[200~";

/** The word of the answer as the prompt contains it, so that the screen shows the word only when the agent answers. */
const escapedWord = String.raw`marmalad\u0065`;

/** Returns all terminal output so far. */
function readScreen(run: ScenarioRun): string {
  return run
    .deltasOfType("screen")
    .map(({ text }) => text)
    .join("");
}

/**
 * Waits until the terminal output after `offset` matches the pattern. Returns the length of the output. Match single
 * words: a program may move the cursor instead of writing spaces.
 */
async function waitForScreen(run: ScenarioRun, pattern: RegExp, offset: number): Promise<number> {
  await run.waitUntil(() => pattern.test(readScreen(run).slice(offset)), `${pattern} on the screen`);
  return readScreen(run).length;
}

/** Pastes a message once the program reads input, and again if the kernel echoed it because the program did not. */
async function pasteMessage(run: ScenarioRun, message: string, echo: RegExp): Promise<number> {
  for (let offset = 0; ;) {
    const ready = await waitForScreen(run, bracketedPasteEnabled, offset);
    await run.session.type(`\u001B[200~${message}\u001B[201~`);
    offset = await waitForScreen(run, echo, ready);
    if (!readScreen(run).slice(ready, offset).includes(echoedPasteStart)) return offset;
  }
}

/**
 * Presses Enter until the terminal shows the answer: to send the message, and to give each approval that it asks for. A
 * busy program may miss a key, and an empty message does nothing.
 */
async function pressEnterUntilAnswered(run: ScenarioRun, offset: number): Promise<void> {
  const isAnswered = (): boolean => readScreen(run).slice(offset).includes("marmalade");
  const deadline = AbortSignal.timeout(run.waitTimeout);
  while (!isAnswered()) {
    await run.session.type("\r");
    for (const next = performance.now() + enterIntervalMs; !isAnswered() && performance.now() < next;)
      await wait(50, undefined, { signal: deadline });
  }
}

/**
 * Waits until the terminal writes nothing for a second. The screen shows an answer before the agent has stored it, and a
 * terminal that works shows it by an animation.
 */
async function waitUntilQuiet(run: ScenarioRun): Promise<void> {
  const deadline = AbortSignal.timeout(run.waitTimeout);
  for (let length = -1; length !== readScreen(run).length;) {
    ({ length } = readScreen(run));
    await wait(1000, undefined, { signal: deadline });
  }
}

const isTurnEnd = ({ body }: Event): boolean => body.type === "turn.ended";

/** What happened in the terminal is in the journal, between the two changes of the lead, each once. */
function assertRecorded(run: ScenarioRun, message: string, hasFile: boolean): void {
  const bodies = run.events.map(({ body }) => body);
  const isLead = (lead: "human" | "agent") => (body: AgentEvent) => body.type === "lead.changed" && body.lead === lead;
  const recorded = bodies.slice(bodies.findIndex(isLead("human")), bodies.findLastIndex(isLead("agent")));
  const turns = recorded.filter((body) => body.type === "turn.started");
  assert.deepEqual(
    turns.map(({ input, origin, source }) => ({ input, origin, source })),
    [{ input: message, origin: "terminal", source: "transcript" }],
  );
  const texts = recorded.flatMap((body) => (body.type === "text.ended" ? [body.text] : []));
  assert.deepEqual(texts, ["Now it is marmalade."]);
  if (!hasFile) return;
  const tools = recorded.filter((body) => body.type === "tool.ended").map(({ ok }) => ok);
  assert.deepEqual(tools, [true], "the call of the terminal is not recorded");
  const files = recorded.filter((body) => body.type === "file.changed");
  assert.deepEqual(
    files.map(({ path, change }) => [realpathSync(resolve(run.workspace, path)), change]),
    [[realpathSync(join(run.workspace, terminalFile.path)), "created"]],
  );
}

/**
 * The usage of the whole session is reported once. Not every version stores the usage of auxiliary requests in its
 * transcript, so these may be missing.
 */
function assertUsageRecorded(run: ScenarioRun): void {
  const [reported, all, conversation] = [sumReported(run), sumServed(run), sumServed(run, false)];
  const totals = JSON.stringify({ reported, all, conversation });
  for (const model of Object.keys({ ...reported, ...all }))
    for (const bucket of ["uncached", "cacheRead", "cacheWrite", "output"] as const) {
      const count = reported[model]?.[bucket] ?? 0;
      assert.ok(count >= (conversation[model]?.[bucket] ?? 0), `usage of ${model} is missing: ${totals}`);
      assert.ok(count <= (all[model]?.[bucket] ?? 0), `usage of ${model} is counted twice: ${totals}`);
    }
}

export const takeOverAndHandBack: Scenario = {
  name: "a person takes over and hands back",
  needs: ["take-over", "resume"],
  clauses: ["lead:human", "lead:agent", "lead:recorded"],
  async execute(run, verify) {
    const session = await run.start();
    await run.runSteps({ text: "The word is heliotrope." });
    await run.waitForEvent("turn.ended");
    await session.takeOver(terminalSize);
    const terminalPids = listSessionProcesses(session.id).map(({ pid }) => pid);
    await verify("lead:human", async () => {
      await waitForScreen(run, /heliotrope/, 0);
      const sendError = await session.send("Hello?").catch((error: unknown) => error);
      assert.ok(
        FairleadError.is(sendError, "taken-over"),
        "the session accepted a message while a person has the lead",
      );
    });
    const tools = run.bench.terminalRunsTools === true ? [{ actions: [{ write: terminalFile }] }] : [];
    // In one chunk: a program that redraws only what is new would split the text on the screen.
    const steps = [...tools, { text: "Now it is marmalade.", chunks: 1 }];
    const message = (run.bench.buildPrompt(steps, run.workspace) ?? "").replaceAll("marmalade", escapedWord);
    const afterPaste = await pasteMessage(run, message, /marmalad/);
    await pressEnterUntilAnswered(run, afterPaste);
    await waitUntilQuiet(run);
    await session.handBack();
    await run.waitForEvent("lead.changed", 2);
    const handedBack = run.events.length;
    if (run.declares("recorded-take-over"))
      await verify("lead:recorded", () => assertRecorded(run, message, tools.length > 0));
    await run.runSteps({ text: "I remember." });
    await run.waitUntil(() => run.events.slice(handedBack).some(isTurnEnd), "the end of the turn after the hand-back");
    if (run.declares("recorded-take-over") && run.declares("usage"))
      await verify("lead:recorded", () => assertUsageRecorded(run));
    await verify("lead:agent", async () => {
      const leads = run.eventsOfType("lead.changed").map(({ lead }) => lead);
      assert.deepEqual(leads, ["human", "agent"]);
      const remaining = listSessionProcesses(session.id).filter(({ pid }) => terminalPids.includes(pid));
      assert.deepEqual(remaining, [], "the terminal's processes are still running");
      assert.equal((await run.waitForEvent("session.resumed")).outcome, "native");
      const context = (await run.bench.readModelContext?.()) ?? "";
      assert.match(context, /heliotrope[^]*marmalade/, "the model request does not contain the text from the terminal");
    });
  },
};
