import type { Exit, LaunchCommand } from "@fairlead/contract";
import type { SeededRandom } from "./seeded-random.ts";
import { SimulatedProcess } from "./simulated-process.ts";
import type { VirtualTime } from "./virtual-time.ts";

export interface SimulatedAgentOptions {
  readonly time: VirtualTime;
  readonly random: SeededRandom;
  readonly number: number;
  readonly command: LaunchCommand;
  /** Receives output. The agent waits until the returned promise resolves. */
  readonly onOutput: (stream: "out" | "err", bytes: Uint8Array) => Promise<void> | undefined;
}

type ApprovalReply = { readonly allow: boolean; readonly stop?: boolean } | "interrupted";
type AgentInput =
  | { readonly type: "message"; readonly text: string }
  | { readonly type: "interrupt" }
  | { readonly type: "answer"; readonly decision: string; readonly allow: boolean; readonly stop?: boolean };

const malfunctions = ["die", "hang", "garbage", "invalid-message", "stderr"] as const;

/** An agent with the protocol of the scripted agent that sometimes malfunctions, hangs or exits early. */
export class SimulatedAgent {
  readonly exited: Promise<Exit>;
  readonly #options: SimulatedAgentOptions;
  readonly #process: SimulatedProcess;
  readonly #exit = Promise.withResolvers<Exit>();
  readonly #messages: string[] = [];
  readonly #pendingApprovals = new Map<string, (reply: ApprovalReply) => void>();
  readonly #ignoresSignals: boolean;
  #wakeup = Promise.withResolvers<void>();
  #isStdinOpen = true;
  #isInterrupted = false;
  #toolCalls = 0;

  constructor(options: SimulatedAgentOptions) {
    this.#options = options;
    this.#process = new SimulatedProcess(options.time);
    this.#ignoresSignals = options.random.happens(0.1);
    this.exited = this.#exit.promise;
    void this.#run();
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  get isStdinOpen(): boolean {
    return this.#process.isAlive && this.#isStdinOpen;
  }

  receive(text: string): void {
    const input = JSON.parse(text) as AgentInput;
    if (input.type === "message") this.#messages.push(input.text);
    if (input.type === "answer") this.#pendingApprovals.get(input.decision)?.(input);
    if (input.type === "interrupt") {
      this.#isInterrupted = true;
      for (const resolve of this.#pendingApprovals.values()) resolve("interrupted");
    }
    this.#wake();
  }

  closeStdin(): void {
    this.#isStdinOpen = false;
    this.#wake();
  }

  signal(signal: string): void {
    if (signal === "SIGKILL" || !this.#ignoresSignals) this.#exitWith({ code: null, signal });
  }

  /** Ends without an exit status, because the keeper has died or the power is lost. */
  exitUnobserved(): void {
    this.#process.end();
  }

  async #run(): Promise<void> {
    const { random, command, number } = this.#options;
    await this.#process.wait(random.between(0, 40));
    if (random.happens(0.03)) return this.#exitWith({ code: 1, signal: null });
    const resumeId = command.args[command.args.indexOf("--resume") + 1];
    const conversation = command.args.includes("--resume") ? resumeId : `conversation-${number}`;
    await this.#print({ type: "hello", conversation, model: "script" });
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) await this.#runTurn();
      else if (this.#isStdinOpen) await this.#wakeup.promise;
      else return this.#exitWith({ code: 0, signal: null });
    }
  }

  async #runTurn(): Promise<void> {
    const { random } = this.#options;
    this.#isInterrupted = false;
    for (let steps = random.between(0, 6); steps > 0 && !this.#isInterrupted; steps -= 1) {
      await this.#process.wait(random.between(0, 60));
      if (random.happens(0.04)) await this.#malfunction(random.pick(malfunctions));
      else if (random.happens(0.5)) await this.#printText();
      else await this.#callTool();
    }
    await this.#print({ type: "done", outcome: this.#isInterrupted ? "interrupted" : "completed" });
  }

  async #printText(): Promise<void> {
    const { random } = this.#options;
    const what = random.pick(["text", "thinking"]);
    const text = `text ${random.between(0, 999)}`;
    await this.#print({ type: "delta", what, text });
    await this.#print({ type: "spoken", what, text });
  }

  async #callTool(): Promise<void> {
    const { random, number } = this.#options;
    this.#toolCalls += 1;
    const call = `call-${number}.${this.#toolCalls}`;
    const action = { call, name: "run", input: { command: "true" } };
    await this.#print({ type: "call", ...action });
    const answer = random.happens(0.7) ? await this.#requestApproval(action) : ({ allow: true } as const);
    if (answer === "interrupted") {
      await this.#print({ type: "withdrawn", decision: call });
      return this.#print({ type: "result", call, ok: false, output: "", interrupted: true });
    }
    if (answer.stop) this.#isInterrupted = true;
    if (!answer.allow) return this.#print({ type: "result", call, ok: false, output: "no", denied: true });
    await this.#print({ type: "running", call });
    await this.#process.wait(random.between(0, 100));
    await this.#print({ type: "result", call, ok: random.happens(0.9), output: "so" });
  }

  async #requestApproval(action: { readonly call: string }): Promise<ApprovalReply> {
    const answer = Promise.withResolvers<ApprovalReply>();
    this.#pendingApprovals.set(action.call, answer.resolve);
    await this.#print({ type: "may-i", decision: action.call, ...action });
    const reply = await answer.promise;
    this.#pendingApprovals.delete(action.call);
    return reply;
  }

  async #malfunction(malfunction: (typeof malfunctions)[number]): Promise<void> {
    const { random, onOutput } = this.#options;
    switch (malfunction) {
      case "die":
        return this.#exitWith(
          random.pick([
            { code: 1, signal: null },
            { code: null, signal: "SIGSEGV" },
          ]),
        );
      case "hang":
        return new Promise(() => {});
      case "garbage":
        return onOutput(
          "out",
          Uint8Array.from({ length: random.between(1, 40) }, () => random.between(0, 255)),
        );
      case "invalid-message":
        return this.#print(random.pick([{ type: "result", call: "none", ok: true, output: "" }, { type: "hum" }]));
      case "stderr":
        return onOutput("err", Buffer.from("an error message\n"));
    }
  }

  /** Prints a line, in one or two chunks. */
  async #print(message: object): Promise<void> {
    const { random, onOutput } = this.#options;
    const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
    const cut = random.happens(0.2) ? random.between(1, bytes.length - 1) : bytes.length;
    for (const chunk of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
      if (chunk.length === 0) continue;
      await this.#process.wait(random.between(0, 2));
      await onOutput("out", chunk);
    }
  }

  #exitWith(exit: Exit): void {
    if (!this.#process.isAlive) return;
    this.#process.end();
    this.#exit.resolve(exit);
  }

  #wake(): void {
    this.#wakeup.resolve();
    this.#wakeup = Promise.withResolvers();
  }
}
