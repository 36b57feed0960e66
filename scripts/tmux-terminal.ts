import { execFileSync } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";

/** Milliseconds. */
const screenTimeout = 60_000;

/** Runs a program in a real terminal and reads its screen. */
export class TmuxTerminal implements Disposable {
  readonly #socket: string;
  readonly #environment: Readonly<Record<string, string>>;

  constructor(
    name: string,
    environment: Readonly<Record<string, string>>,
    command: readonly string[],
    { rows = 48 }: { readonly rows?: number } = {},
  ) {
    this.#socket = `${name}-${process.pid}`;
    this.#environment = { ...environment, TERM: "xterm-256color" };
    // Keep the screen after the program exits, so that its last output can be read.
    const keepScreen = [";", "set-option", "-g", "remain-on-exit", "on"];
    this.#tmux("new-session", "-d", "-s", "main", "-x", "100", "-y", String(rows), "sleep", "1000", ...keepScreen);
    this.#tmux("respawn-pane", "-k", "-t", "main", ...command);
  }

  type(text: string): void {
    this.#tmux("send-keys", "-t", "main", "-l", text);
  }

  /** Presses a key, given by its tmux name. */
  press(key: string): void {
    this.#tmux("send-keys", "-t", "main", key);
  }

  /** Waits until the screen matches, for at most `timeout` milliseconds. */
  async waitFor(expected: RegExp, timeout = screenTimeout): Promise<string> {
    for (const deadline = Date.now() + timeout; ; await wait(50)) {
      const { screen } = this;
      if (expected.test(screen)) return screen;
      if (Date.now() > deadline)
        throw new Error(`${expected} did not appear within ${timeout / 1000} s. The screen shows:\n${screen}`);
    }
  }

  get screen(): string {
    return this.#tmux("capture-pane", "-t", "main", "-p").trimEnd();
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
