import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { FairleadError, type AgentEvent, type Event } from "@fairlead/contract";
import { listSessionProcesses } from "../session-processes.ts";
import type { ScenarioRun } from "../scenario-run.ts";
import type { Scenario } from "../scenario.ts";
import { sumReported, sumServed } from "./usage.ts";

/** Large enough for a full-screen program, and wide enough for a message on one line. */
const terminalSize = { columns: 200, rows: 50 };
const terminalFile = { path: "from-the-terminal.txt", content: "written\n" };

/** The escape sequence with which a program enables bracketed paste, which shows that it reads input. */
// oxlint-disable-next-line no-control-regex
const bracketedPasteEnabled = /\u001B\[\?2004h/;
/** The start of a paste as the kernel echoes it if the program does not read input yet. */
const echoedPasteStart = "^[[200~";

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

/** Approves what the terminal asks for, until it shows the answer. */
async function approveUntilAnswered(run: ScenarioRun, approval: RegExp | undefined, offset: number): Promise<void> {
  // In the typed prompt a quotation mark follows the word; in the answer it does not.
  const answer = /marmalade\.(?!")/;
  const isAnswered = (from: number): boolean => answer.test(readScreen(run).slice(from));
  for (let from = offset; ;) {
    const asks = (): boolean => approval?.test(toWords(readScreen(run).slice(from))) ?? false;
    await run.waitUntil(() => isAnswered(from) || asks(), "an approval or the answer on the screen");
    if (isAnswered(from)) return;
    from = readScreen(run).length;
    await run.session.type("\r");
  }
}

/** Removes the escape sequences between the words of a screen. */
function toWords(screen: string): string {
  // oxlint-disable-next-line no-control-regex
  return screen.replaceAll(/\u001B\[[0-9;?]*[A-Za-z]/g, " ");
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
    const { terminalApproval } = run.bench;
    const tools = terminalApproval === undefined ? [] : [{ actions: [{ write: terminalFile }] }];
    // In one chunk: a program that redraws only what is new would split the text on the screen.
    const steps = [...tools, { text: "Now it is marmalade.", chunks: 1 }];
    const message = run.bench.buildPrompt(steps, run.workspace) ?? "";
    const afterPaste = await pasteMessage(run, message, /marmalade/);
    await session.type("\r");
    await approveUntilAnswered(run, terminalApproval, afterPaste);
    await session.handBack();
    await run.waitForEvent("lead.changed", 2);
    const handedBack = run.events.length;
    if (run.declares("recorded-take-over"))
      await verify("lead:recorded", () => assertRecorded(run, message, tools.length > 0));
    await run.runSteps({ text: "I remember." });
    await run.waitUntil(() => run.events.slice(handedBack).some(isTurnEnd), "the end of the turn after the hand-back");
    if (run.declares("recorded-take-over") && run.declares("usage"))
      await verify("lead:recorded", () => assert.deepEqual(sumReported(run), sumServed(run)));
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
