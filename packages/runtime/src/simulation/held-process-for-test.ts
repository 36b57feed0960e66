import type { Exit, LaunchLine } from "@fairlead/contract";
import type { Life } from "./life-for-test.ts";
import type { SimulatedAgent } from "./simulated-agent-for-test.ts";

/** What a keeper tells of a process that it launches. */
export interface HeldProcessOptions {
  readonly number: number;
  readonly session: string;
  readonly line: LaunchLine;
  readonly heard: (stream: "out" | "err", bytes: Uint8Array) => Promise<void> | undefined;
  readonly exited: () => void;
}

/** Where the processes of a keeper are acted out. */
export interface Stage {
  readonly life: Life;
  launch(options: HeldProcessOptions): SimulatedAgent;
  delivered(number: number, text: string): void;
}

/** By the name of the session that the keeper was told. */
export const stages = new Map<string, Stage>();

const killPatience = 2000;

/** Stands in for the keeper's own class of this name, which has no place to put another program. */
export class HeldProcess {
  readonly ended: Promise<Exit>;
  readonly #options: HeldProcessOptions;
  readonly #stage: Stage;
  readonly #agent: SimulatedAgent;
  #taking: Promise<void> = Promise.resolve();

  constructor(options: HeldProcessOptions) {
    const stage = stages.get(options.session);
    if (stage === undefined) throw new Error(`There is no stage ${options.session}.`);
    this.#options = options;
    this.#stage = stage;
    const heard: HeldProcessOptions["heard"] = (stream, bytes) =>
      (this.#taking = options.heard(stream, bytes) ?? Promise.resolve());
    this.#agent = stage.launch({ ...options, heard });
    this.ended = this.#awaitEnd();
  }

  say(text: string): void {
    if (!this.#agent.listening) return;
    this.#stage.delivered(this.#options.number, text);
    this.#agent.hear(text);
  }

  hangup(): void {
    this.#agent.hangup();
  }

  signal(signal: NodeJS.Signals): void {
    this.#agent.signal(signal);
  }

  async kill(): Promise<void> {
    this.#agent.signal("SIGTERM");
    if (this.#agent.alive) await this.#stage.life.wait(killPatience);
    this.#agent.signal("SIGKILL");
  }

  async #awaitEnd(): Promise<Exit> {
    const exit = await this.#agent.exited;
    this.#options.exited();
    await this.#taking;
    await this.#stage.life.wait(1);
    return exit;
  }
}
