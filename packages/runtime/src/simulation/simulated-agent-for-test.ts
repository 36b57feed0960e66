import type { Exit, LaunchLine } from "@fairlead/contract";
import type { Chance } from "./chance-for-test.ts";
import { Life } from "./life-for-test.ts";
import type { VirtualTime } from "./virtual-time-for-test.ts";

export interface AgentParts {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly number: number;
  readonly line: LaunchLine;
  /** Takes what it prints; until it is taken, the agent waits. */
  readonly printed: (stream: "out" | "err", bytes: Uint8Array) => Promise<void> | undefined;
}

type Answer = { readonly allow: boolean; readonly stop?: boolean } | "interrupted";
type Heard =
  | { readonly type: "message"; readonly text: string }
  | { readonly type: "interrupt" }
  | { readonly type: "answer"; readonly decision: string; readonly allow: boolean; readonly stop?: boolean };

const mishaps = ["die", "hang", "garbage", "nonsense", "complain"] as const;

/** A little machine that speaks the words of the scripted agent; not always well, and not always to the end. */
export class SimulatedAgent {
  readonly exited: Promise<Exit>;
  readonly #parts: AgentParts;
  readonly #life: Life;
  readonly #exit = Promise.withResolvers<Exit>();
  readonly #messages: string[] = [];
  readonly #asked = new Map<string, (answer: Answer) => void>();
  readonly #stubborn: boolean;
  #news = Promise.withResolvers<void>();
  #listening = true;
  #interrupted = false;
  #calls = 0;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#life = new Life(parts.time);
    this.#stubborn = parts.chance.happens(0.1);
    this.exited = this.#exit.promise;
    void this.#live();
  }

  get alive(): boolean {
    return this.#life.alive;
  }

  get listening(): boolean {
    return this.#life.alive && this.#listening;
  }

  hear(text: string): void {
    const heard = JSON.parse(text) as Heard;
    if (heard.type === "message") this.#messages.push(heard.text);
    if (heard.type === "answer") this.#asked.get(heard.decision)?.(heard);
    if (heard.type === "interrupt") {
      this.#interrupted = true;
      for (const answer of this.#asked.values()) answer("interrupted");
    }
    this.#wake();
  }

  hangup(): void {
    this.#listening = false;
    this.#wake();
  }

  signal(signal: string): void {
    if (signal === "SIGKILL" || !this.#stubborn) this.#leave({ code: null, signal });
  }

  /** Its keeper has died, or the power is gone: it ends, and nobody hears of it. */
  vanish(): void {
    this.#life.end();
  }

  async #live(): Promise<void> {
    const { chance, line, number } = this.#parts;
    await this.#life.wait(chance.between(0, 40));
    if (chance.happens(0.03)) return this.#leave({ code: 1, signal: null });
    const resumed = line.args[line.args.indexOf("--resume") + 1];
    const conversation = line.args.includes("--resume") ? resumed : `conversation-${number}`;
    await this.#say({ type: "hello", conversation, model: "script" });
    for (;;) {
      const message = this.#messages.shift();
      if (message !== undefined) await this.#play();
      else if (this.#listening) await this.#news.promise;
      else return this.#leave({ code: 0, signal: null });
    }
  }

  async #play(): Promise<void> {
    const { chance } = this.#parts;
    this.#interrupted = false;
    for (let steps = chance.between(0, 6); steps > 0 && !this.#interrupted; steps -= 1) {
      await this.#life.wait(chance.between(0, 60));
      if (chance.happens(0.04)) await this.#misbehave(chance.pick(mishaps));
      else if (chance.happens(0.5)) await this.#speak();
      else await this.#use();
    }
    await this.#say({ type: "done", outcome: this.#interrupted ? "interrupted" : "completed" });
  }

  async #speak(): Promise<void> {
    const { chance } = this.#parts;
    const what = chance.pick(["text", "thinking"]);
    const text = `words ${chance.between(0, 999)}`;
    await this.#say({ type: "delta", what, text });
    await this.#say({ type: "spoken", what, text });
  }

  async #use(): Promise<void> {
    const { chance, number } = this.#parts;
    this.#calls += 1;
    const call = `call-${number}.${this.#calls}`;
    const action = { call, name: "run", input: { command: "true" } };
    await this.#say({ type: "call", ...action });
    const answer = chance.happens(0.7) ? await this.#mayI(action) : ({ allow: true } as const);
    if (answer === "interrupted") {
      await this.#say({ type: "withdrawn", decision: call });
      return this.#say({ type: "result", call, ok: false, output: "", interrupted: true });
    }
    if (answer.stop) this.#interrupted = true;
    if (!answer.allow) return this.#say({ type: "result", call, ok: false, output: "no", denied: true });
    await this.#say({ type: "running", call });
    await this.#life.wait(chance.between(0, 100));
    await this.#say({ type: "result", call, ok: chance.happens(0.9), output: "so" });
  }

  async #mayI(action: { readonly call: string }): Promise<Answer> {
    const answer = Promise.withResolvers<Answer>();
    this.#asked.set(action.call, answer.resolve);
    await this.#say({ type: "may-i", decision: action.call, ...action });
    const given = await answer.promise;
    this.#asked.delete(action.call);
    return given;
  }

  async #misbehave(mishap: (typeof mishaps)[number]): Promise<void> {
    const { chance, printed } = this.#parts;
    switch (mishap) {
      case "die":
        return this.#leave(
          chance.pick([
            { code: 1, signal: null },
            { code: null, signal: "SIGSEGV" },
          ]),
        );
      case "hang":
        return new Promise(() => {});
      case "garbage":
        return printed(
          "out",
          Uint8Array.from({ length: chance.between(1, 40) }, () => chance.between(0, 255)),
        );
      case "nonsense":
        return this.#say(chance.pick([{ type: "result", call: "none", ok: true, output: "" }, { type: "hum" }]));
      case "complain":
        return printed("err", Buffer.from("this is not well\n"));
    }
  }

  /** Prints a line: at once or in two pieces. */
  async #say(said: object): Promise<void> {
    const { chance, printed } = this.#parts;
    const bytes = Buffer.from(`${JSON.stringify(said)}\n`);
    const cut = chance.happens(0.2) ? chance.between(1, bytes.length - 1) : bytes.length;
    for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
      if (piece.length === 0) continue;
      await this.#life.wait(chance.between(0, 2));
      await printed("out", piece);
    }
  }

  #leave(exit: Exit): void {
    if (!this.#life.alive) return;
    this.#life.end();
    this.#exit.resolve(exit);
  }

  #wake(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}
