/** A runtime whose requests are answered by several at once, until it is killed: `node answering-process.ts OPTIONS`. */
import { openScopes, openTurn, requestDigest, type Answer, type EventOf } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { Home, Runtime, type Session } from "@fairlead/runtime";
import { setTimeout as wait } from "node:timers/promises";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { createAgents } from "./agents.ts";
import { commandOf } from "./race-commands.ts";

export interface AnsweringOptions {
  readonly home: string;
  readonly session: string;
  readonly seed: number;
  /** How many requests there are in all, at least, and in one turn that is not interrupted. */
  readonly requests: number;
  readonly perTurn: number;
  /** Whether the agent runs what was denied: the control. */
  readonly isDeaf: boolean;
}

const options = JSON.parse(process.argv[2] ?? "") as AnsweringOptions;
const { home, session: id, seed, requests, perTurn, isDeaf } = options;
const random = new SeededRandom(seed);
const runtime = await Runtime.open({ home: new Home(home), adapters: createAgents(isDeaf) });
const session = await runtime.attach(id);
/** Requests that this process has answered or chosen to leave open. */
const raced = new Set<string>();

const counts = { requests: 0, turns: 0 };
const stored = await Array.fromAsync(runtime.events(id, 0));
for (const { body } of stored) count(body.type);
void countEvents(stored.at(-1)?.sequence ?? 0);

console.log("attached");
while (counts.requests < requests) {
  const first = counts.turns * perTurn;
  const tools = Array.from({ length: perTurn }, (_one, at) => ({
    name: "run",
    input: { command: commandOf(first + at) },
  }));
  if (session.state.ledger.over) throw new Error("The session has ended before all requests were made.");
  if (!isBusy()) {
    // The key makes it one message, however many processes send it.
    await session.send(withScript("Run.", [{ tools }]), `turn-${counts.turns}`).catch(ignore);
  }
  while (isBusy()) {
    for (const { request } of openScopes(session.state.ledger, "decision")) if (request) race(session, request);
    if (random.nextBelow(400) === 0) void session.interrupt().catch(ignore);
    await wait(2);
  }
  await wait(20); // the last events are on their way
}
console.log("done");

function isBusy(): boolean {
  return openTurn(session.state.ledger) !== null || session.state.waitingMessages.length > 0;
}

async function countEvents(after: number): Promise<void> {
  for await (const item of session.stream(after)) if ("body" in item) count(item.body.type);
}

function count(type: string): void {
  if (type === "decision.requested") counts.requests += 1;
  if (type === "turn.started") counts.turns += 1;
}

/** Answers a request by some of: approve, approve with another input, deny. The rule and the deadline do so themselves. */
function race(answered: Session, request: EventOf<"decision.requested">): void {
  const { decision } = request;
  const digest = requestDigest(request);
  if (raced.has(`${decision} ${digest}`)) return;
  raced.add(`${decision} ${digest}`);
  const { command } = request.input as { command: string };
  const edited = command.replace(/(\d+) >>/, "$1-edited >>");
  const answers: readonly [Answer, ...Answer[]] = [
    { type: "allow", digest },
    { type: "deny", digest, message: "no", interrupt: false },
    { type: "allow", digest, input: { command: edited } },
  ];
  // About a sixth is left to the deadline.
  const count = random.nextBelow(6) === 0 ? 0 : 1 + random.nextBelow(3);
  for (let at = 0; at < count; at += 1) {
    const answer = random.pick(answers);
    void wait(random.nextBelow(8)).then(() => answered.answer(decision, answer).catch(ignore));
  }
}

function ignore(): void {}
