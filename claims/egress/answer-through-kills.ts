/**
 * Kills the daemon while real agents behind the gate answer, and prints a line of JSON for each: `node
 * answer-through-kills.ts AGENT…`. Runs offline, because the lab does, and with a TMPDIR that can contain the workspace of a
 * sandbox.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { testBenches } from "@fairlead/lab";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { TestHome } from "../../measure/test-home.ts";
import { DaemonProcess } from "../daemon/daemon-process.ts";
import { readSize } from "../daemon/size.ts";
import { type Answer, isAnswering, readAnswer } from "./read-answer.ts";
import { redirectThroughDaemon } from "./redirect-through-daemon.ts";

/** What became of the answers of an agent whose daemon was killed. */
export interface KilledAnswers {
  /** The version of the agent. */
  readonly version: string;
  /** Kills while an answer was sent. */
  readonly kills: number;
  readonly answers: number;
  /** Answers that are in the journal exactly as they were sent, in a completed turn, after one request to the model. */
  readonly whole: number;
}

export interface AgentAnswers {
  readonly agent: string;
  /** The connections pass through the keeper. */
  readonly gated: KilledAnswers;
  /** The connections pass through the daemon, too. */
  readonly control: KilledAnswers;
}

const requiredKills = readSize("kills", 20);
/** An answer is sent word by word, with this many milliseconds between two, so that several daemons see it. */
const [words, wordDelay] = [readSize("words", 300), 100];
/** A daemon is killed within this many milliseconds after it has shown a part of the answer. */
const maxDriveTime = 1000;

const random = SeededRandom.fromEnvironment();
console.log(`FAIRLEAD_SEED=${random.seed}`);
for (const agent of process.argv.slice(2)) {
  const gated = await answerWhileKilling(agent, requiredKills, "keeper");
  const control = await answerWhileKilling(agent, 1, "daemon");
  console.log(JSON.stringify({ agent, gated, control } satisfies AgentAnswers));
}

/** Has an agent answer until the daemon was killed often enough. */
async function answerWhileKilling(agent: string, enough: number, through: "keeper" | "daemon"): Promise<KilledAnswers> {
  const folder = mkdtempSync(join(tmpdir(), "b-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  const openBench = testBenches[agent];
  if (openBench === undefined) throw new Error(`The lab has no test bench for ${agent}.`);
  await using opened = await openBench(folder);
  const { bench, relay } =
    through === "daemon" ? await redirectThroughDaemon(opened, folder) : { bench: opened, relay: undefined };
  await using testHome = new TestHome(bench.environment);
  const startDaemon = (): Promise<DaemonProcess> =>
    relay === undefined ? DaemonProcess.start(testHome) : DaemonProcess.startWith(testHome, { relay });
  const workspace = testHome.workspace();
  forwardPorts(testHome, workspace, bench.services ?? []);

  let daemon = await startDaemon();
  await using _ending = { [Symbol.asyncDispose]: () => daemon.kill() };
  const { session } = await daemon.connect().start({
    agent,
    workspace,
    mode: "full-auto",
    settings: { ...bench.settings },
    sandbox: { kind: "bwrap", network: "gate" },
  });
  const countRequests = (): number => opened.readRequestHeaders?.().length ?? 0;
  const answers: Answer[] = [];
  let [kills, whole] = [0, 0];
  while (kills < enough) {
    const text = Array.from({ length: words }, (_word, at) => `${answers.length + 1}.${at + 1}`).join(" ");
    const after = answers.at(-1)?.lastSequence ?? 0;
    const earlierRequests = countRequests();
    const killedAt: number[] = [];
    const prompt = bench.buildPrompt([{ text, chunks: words, chunkDelay: wordDelay }], workspace);
    await daemon.connect().send(session, prompt ?? "");
    while (kills + killedAt.length < enough && (await isAnswering(daemon.connect(), session, after))) {
      await wait(random.nextBelow(maxDriveTime));
      await daemon.kill();
      killedAt.push(Date.now());
      daemon = await startDaemon();
    }
    const answer = await readAnswer(daemon.connect(), session, after);
    const killsInTime = killedAt.filter((time) => time < answer.endedAt).length;
    // If no kill hits in time, the run proves nothing and must end.
    if (killsInTime === 0) throw new Error("The answer was over before the daemon could be killed.");
    kills += killsInTime;
    answers.push(answer);
    const requests = countRequests() - earlierRequests;
    if (answer.text === text && answer.outcome === "completed" && requests === 1) whole += 1;
    console.log(
      `${agent}, ${through}: ${kills} kills, ${answer.text.length} of ${text.length} characters in ${requests}`,
    );
  }
  const [started] = await testHome.readJournal(session);
  if (started?.body.type !== "session.started" || started.body.sandbox?.network !== "gate")
    throw new Error("The session had no gate.");
  return { version: started.body.agentVersion ?? "", kills, answers: answers.length, whole };
}

/** Lets agents reach the lab. An agent can have its address in a file of its own, which opens no gate. */
function forwardPorts({ home }: TestHome, workspace: string, services: readonly string[]): void {
  const forwards = services.map((url) => Number(new URL(url).port));
  mkdirSync(home.folder, { recursive: true, mode: 0o700 });
  writeFileSync(home.configFile, JSON.stringify({ sandbox: { [workspace]: { forwards } } }));
}
