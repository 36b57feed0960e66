/**
 * Answers requests on phones with the built page, and prints what happened as JSON: `node tap-answers.ts PART COUNT`. A part
 * is the id of a real agent, `two-phones`, `finger`, or `hasty-finger`: the control without the half second.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { testBenches } from "@fairlead/lab";
import { PhoneBench } from "./phone-bench.ts";

/** Requests that one phone answered for a real agent. */
export interface AgentAnswers {
  readonly part: string;
  readonly rounds: number;
  /** Actions that ran if and only if they were allowed. */
  readonly right: number;
  /** Milliseconds from the request in the journal to the card, and to a reader in the same process. */
  readonly cardMs: readonly number[];
  readonly floorMs: readonly number[];
  readonly problems: readonly string[];
}

/** Requests that two phones answered at the same time, differently. */
export interface TwoPhones {
  readonly part: "two-phones";
  readonly rounds: number;
  /** Rounds in which the journal has one answer, and only it had its effect. */
  readonly answeredOnce: number;
  /** Rounds in which both phones said the journal's outcome and whose it was. */
  readonly toldByWhom: number;
  /** Rounds that the first phone won. */
  readonly wonByFirst: number;
  readonly problems: readonly string[];
}

/** Cards that arrived under a finger that was tapping. */
export interface FingerTaps {
  readonly part: "finger" | "hasty-finger";
  /** Rounds with at least one tap on a button within the half second, and none after it. */
  readonly rounds: number;
  readonly taps: number;
  readonly answered: number;
  readonly problems: readonly string[];
}

const scripted = (command: string): string =>
  `Work. SCRIPT:${JSON.stringify([{ tools: [{ name: "run", input: { command } }] }])}`;

if (import.meta.main) {
  const [part = "", count = "1"] = process.argv.slice(2);
  const rounds = Number(count);
  const answer =
    part === "two-phones"
      ? await raceTwoPhones(rounds)
      : part === "finger" || part === "hasty-finger"
        ? await tapUnderFinger(part, rounds)
        : await answerAgent(part, rounds);
  console.log(JSON.stringify(answer));
}

async function answerAgent(agent: string, rounds: number): Promise<AgentAnswers> {
  const openBench = testBenches[agent];
  if (openBench === undefined) throw new Error(`There is no test bench for ${agent}.`);
  const folder = mkdtempSync(join(tmpdir(), "lab-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
  await using lab = await openBench(join(folder, "s"));
  await using bench = await PhoneBench.open(lab.environment);
  const { fairlead, workspace } = bench;
  const { session } = await fairlead.start({
    agent,
    workspace,
    mode: "default",
    sandbox: { kind: "none" },
    settings: { ...lab.settings },
    policy: { rules: [{ verdict: "ask", command: "touch" }] },
  });
  const phone = await bench.openPhone("phone");
  const [cardMs, floorMs]: [number[], number[]] = [[], []];
  let right = 0;
  for (let round = 0; round < rounds; round += 1) {
    const file = `made-${round}.txt`;
    const prompt = lab.buildPrompt(
      [{ actions: [{ run: `touch ${file}`, unescalated: true }] }, { text: "Done." }],
      workspace,
    );
    const asked = await bench.ask(session, prompt ?? "");
    cardMs.push((await phone.waitForCard()) - asked.at);
    floorMs.push(asked.heardAt - asked.at);
    await phone.waitUntilArmed();
    const isAllowed = round % 2 === 0;
    await phone.tap(isAllowed ? "Allow once" : "Deny");
    const bodies = await bench.finishTurn(session, asked.after);
    const outcomes = bodies.flatMap((body) => (body.type === "decision.resolved" ? [body.outcome] : []));
    const isAnswered = outcomes.join() === (isAllowed ? "allowed" : "denied");
    if (isAnswered && existsSync(join(workspace, file)) === isAllowed) right += 1;
    await phone.leave();
  }
  await fairlead.stop(session);
  return { part: agent, rounds, right, cardMs, floorMs, problems: bench.problems };
}

async function raceTwoPhones(rounds: number): Promise<TwoPhones> {
  await using bench = await PhoneBench.open();
  const { fairlead, workspace } = bench;
  const { session } = await fairlead.start({ agent: "scripted", workspace, sandbox: { kind: "none" } });
  const [first, second] = [await bench.openPhone("first"), await bench.openPhone("second")];
  let [answeredOnce, toldByWhom, wonByFirst] = [0, 0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const file = `made-${round}.txt`;
    const asked = await bench.ask(session, scripted(`touch ${file}`));
    await Promise.all([first.waitUntilArmed(), second.waitUntilArmed()]);
    // Each phone is the one that allows in half of the rounds.
    const [allowing, denying] = round % 2 === 0 ? [first, second] : [second, first];
    const [allow, deny] = [await allowing.findButton("Allow once"), await denying.findButton("Deny")];
    await Promise.all(
      round % 4 < 2 ? [allowing.tapAt(allow), denying.tapAt(deny)] : [denying.tapAt(deny), allowing.tapAt(allow)],
    );
    const bodies = await bench.finishTurn(session, asked.after);
    const resolved = bodies.flatMap((body) => (body.type === "decision.resolved" ? [body] : []));
    const [resolution] = resolved;
    const isAllowed = resolution?.outcome === "allowed";
    if (resolved.length === 1 && existsSync(join(workspace, file)) === isAllowed) answeredOnce += 1;
    const expected = `${resolution?.outcome} by a person (${resolution?.by.label})`;
    const told = await Promise.all([first.readOutcome(), second.readOutcome()]);
    if (told.every((one) => one === expected)) toldByWhom += 1;
    if (resolution?.by.label === "first") wonByFirst += 1;
    await Promise.all([first.leave(), second.leave()]);
  }
  await fairlead.stop(session);
  return { part: "two-phones", rounds, answeredOnce, toldByWhom, wonByFirst, problems: bench.problems };
}

async function tapUnderFinger(part: FingerTaps["part"], wanted: number): Promise<FingerTaps> {
  await using bench = await PhoneBench.open();
  const { fairlead, workspace } = bench;
  const { session } = await fairlead.start({ agent: "scripted", workspace, sandbox: { kind: "none" } });
  const phone = await bench.openPhone("phone", part === "hasty-finger");
  const deny = { type: "deny", message: "", interrupt: false } as const;
  const open = await bench.ask(session, scripted("touch first.txt"));
  await phone.waitUntilArmed();
  const place = await phone.findButton("Allow once");
  await fairlead.answer(session, open.decision, deny);
  await bench.finishTurn(session, open.after);
  await phone.leave();
  let [rounds, taps, answered] = [0, 0, 0];
  for (let attempt = 0; rounds < wanted && attempt < wanted * 3; attempt += 1) {
    await phone.forgetLog();
    const asking = bench.ask(session, scripted(`touch made-${attempt}.txt`));
    await phone.tapWhileCardArrives(place);
    const asked = await asking;
    await pause(500);
    const { cardAt, touchedAt } = await phone.readLog();
    const isAnswered = !(await fairlead.decisions()).some(({ decision }) => decision === asked.decision);
    // A tap after half a second may answer, so a round with one says nothing.
    const isValid = cardAt !== null && touchedAt.length > 0 && touchedAt.every((at) => at < cardAt + 500);
    if (isValid) {
      rounds += 1;
      taps += touchedAt.length;
      if (isAnswered) answered += 1;
    }
    if (!isAnswered) await fairlead.answer(session, asked.decision, deny);
    await bench.finishTurn(session, asked.after);
    await phone.leave();
  }
  await fairlead.stop(session);
  return { part, rounds, taps, answered, problems: bench.problems };
}
