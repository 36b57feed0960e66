import { setTimeout as wait } from "node:timers/promises";
import type { SessionView, StartRequest } from "@fairlead/api";
import { listSessionProcesses } from "../../packages/conformance/src/session-processes.ts";
import { ChildProgram } from "../../measure/child-program.ts";
import type { SeededRandom } from "../../measure/seeded-random.ts";
import type { TestHome } from "../../measure/test-home.ts";
import type { DriverCommand, DriverReply, QueueDriverOptions } from "./driver.ts";
import { addQueueReports, emptyQueueReport, judgeQueue, type QueueReport } from "./kept-queue.ts";

export interface SequenceOptions {
  readonly testHome: TestHome;
  readonly start: Omit<StartRequest, "workspace">;
  /** Returns a message that keeps the agent busy for a moment. */
  readonly message: (number: number, workspace: string) => string;
  readonly sequences: number;
  /** Longest pause between two steps, in milliseconds. */
  readonly maxPause: number;
  /** How long a session may take to process what waits. */
  readonly idleLimitMs: number;
  readonly random: SeededRandom;
  readonly queuesInDialects?: boolean;
}

const program = new URL("driver.ts", import.meta.url);
const moves = ["send", "interrupt", "interrupt", "pause", "pause", "resume", "resume", "kill service"] as const;
const lastMoves = ["none", "none", "stop", "stop", "kill agent", "kill keeper"] as const;

/** Runs sequences of commands and kills, one after the other, and judges the journal of each session. */
export async function runSequences(options: SequenceOptions): Promise<QueueReport> {
  await using service = new KillableService(options);
  let report = emptyQueueReport;
  for (let at = 0; at < options.sequences; at += 1) {
    report = addQueueReports(report, await new Sequence(options, service).run());
  }
  return report;
}

/** A service in a process of its own. After a kill, the next command starts it again and is repeated under its key. */
class KillableService implements AsyncDisposable {
  readonly #options: SequenceOptions;
  #process: ChildProgram;
  #restarting: Promise<void> | null = null;

  constructor(options: SequenceOptions) {
    this.#options = options;
    this.#process = this.#start();
  }

  async call(command: DriverCommand): Promise<DriverReply> {
    for (;;) {
      await this.#restarting;
      const current = this.#process;
      current.writeLine(JSON.stringify(command));
      try {
        return await current.readJson<DriverReply>();
      } catch {
        if (current === this.#process) await this.kill();
      }
    }
  }

  /** Kills the service and starts it again. A call in progress is repeated. */
  kill(): Promise<void> {
    this.#restarting ??= this.#restart().finally(() => (this.#restarting = null));
    return this.#restarting;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#restarting;
    await this.#process.kill();
  }

  async #restart(): Promise<void> {
    await this.#process.kill();
    this.#process = this.#start();
  }

  #start(): ChildProgram {
    const { testHome, queuesInDialects = false } = this.#options;
    const argument: QueueDriverOptions = { home: testHome.home.folder, queuesInDialects };
    // The earlier queues are put into the sources.
    const nodeFlags = queuesInDialects ? [] : ["--conditions=built"];
    return new ChildProgram(program, argument, { env: testHome.environment, nodeFlags });
  }
}

/** One session with a random sequence of commands and kills. */
class Sequence {
  readonly #options: SequenceOptions;
  readonly #service: KillableService;
  readonly #accepted: string[] = [];
  #session = "";
  #commands = 0;
  #kills = 0;

  constructor(options: SequenceOptions, service: KillableService) {
    this.#options = options;
    this.#service = service;
  }

  async run(): Promise<QueueReport> {
    const { random, start, testHome, maxPause } = this.#options;
    const workspace = testHome.workspace();
    const started = await this.#call({ do: "start", start: { ...start, workspace } });
    if ("error" in started) throw new Error(`${start.agent} did not start: ${started.error}`);
    this.#session = (started.result as SessionView).session;
    for (let steps = 6 + random.nextBelow(8); steps > 0; steps -= 1) {
      // Half of the steps send, so that messages wait for each other.
      await this.#move(random.nextBelow(2) === 0 ? "send" : random.pick(moves), workspace);
      await wait(random.nextBelow(maxPause));
    }
    const last = random.pick(lastMoves);
    if (last === "stop") await this.#call({ do: "stop" });
    if (last === "kill agent") this.#killProcesses(listSessionProcesses(this.#session).map(({ pid }) => pid));
    if (last === "kill keeper") this.#killProcesses([testHome.findKeeper(this.#session)?.pid ?? 0]);
    const isStuck = !(await this.#waitUntilProcessed());
    await this.#call({ do: "stop" });
    const bodies = (await testHome.readJournal(this.#session)).map(({ body }) => body);
    const judged = judgeQueue(bodies, this.#accepted);
    return { ...judged, sequences: 1, stuck: isStuck ? 1 : 0, kills: this.#kills };
  }

  async #move(move: (typeof moves)[number], workspace: string): Promise<void> {
    const { random, message, maxPause } = this.#options;
    if (move === "send") {
      const number = this.#accepted.length + 1;
      const text = message(number, workspace);
      const sending = this.#call({ do: "send", text });
      // Some services are killed while they accept the message. The command is repeated under its key.
      if (random.nextBelow(12) === 0) await this.#killService(maxPause);
      const reply = await sending;
      if ("result" in reply) this.#accepted.push((reply.result as { turn: string }).turn);
    } else if (move === "kill service") await this.#killService(1);
    else await this.#call({ do: move });
  }

  async #killService(maxDelay: number): Promise<void> {
    await wait(this.#options.random.nextBelow(maxDelay));
    this.#kills += 1;
    await this.#service.kill();
  }

  #killProcesses(pids: readonly number[]): void {
    for (const pid of pids.filter((one) => one > 0)) {
      try {
        process.kill(pid, "SIGKILL");
        this.#kills += 1;
      } catch {
        // It has ended.
      }
    }
  }

  /** Resumes the session if it is paused, and waits until no message waits. Returns false if that takes too long. */
  async #waitUntilProcessed(): Promise<boolean> {
    for (const deadline = Date.now() + this.#options.idleLimitMs; Date.now() < deadline; await wait(50)) {
      const reply = await this.#call({ do: "view" });
      if (!("result" in reply)) continue;
      const { state, queued } = reply.result as SessionView;
      if (state === "ended" || (state === "idle" && queued === 0)) return true;
      if (state === "paused") await this.#call({ do: "resume" });
    }
    return false;
  }

  #call(command: Omit<DriverCommand, "key" | "session">): Promise<DriverReply> {
    this.#commands += 1;
    const key = `${this.#session || `start-${this.#options.random.nextBelow(2 ** 31)}`}-${this.#commands}`;
    return this.#service.call({ ...command, key, session: this.#session });
  }
}
