import { execFileSync } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";

const patience = 60_000;

/** A real terminal with a program in it, of which one can see the screen. */
export class TmuxTerminal implements Disposable {
  readonly #socket: string;
  readonly #environment: Readonly<Record<string, string>>;

  constructor(name: string, environment: Readonly<Record<string, string>>, command: readonly string[]) {
    this.#socket = `${name}-${process.pid}`;
    this.#environment = { ...environment, TERM: "xterm-256color" };
    // The screen stays when the program has ended, so that its last words can be read.
    const ended = [";", "set-option", "-g", "remain-on-exit", "on"];
    this.#tmux("new-session", "-d", "-s", "seat", "-x", "100", "-y", "48", "sleep", "1000", ...ended);
    this.#tmux("respawn-pane", "-k", "-t", "seat", ...command);
  }

  type(text: string): void {
    this.#tmux("send-keys", "-t", "seat", "-l", text);
  }

  /** Presses a key, by tmux's name for it. */
  press(key: string): void {
    this.#tmux("send-keys", "-t", "seat", key);
  }

  async see(expected: RegExp): Promise<string> {
    for (const deadline = Date.now() + patience; ; await wait(50)) {
      const { screen } = this;
      if (expected.test(screen)) return screen;
      if (Date.now() > deadline) throw new Error(`${expected} did not appear on this screen:\n${screen}`);
    }
  }

  get screen(): string {
    return this.#tmux("capture-pane", "-t", "seat", "-p").trimEnd();
  }

  [Symbol.dispose](): void {
    this.#tmux("kill-server");
  }

  #tmux(...args: string[]): string {
    return execFileSync("tmux", ["-L", this.#socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      env: this.#environment,
    });
  }
}
