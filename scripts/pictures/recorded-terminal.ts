import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import { parseRows, rowsText, type Screen } from "./screen.ts";
import type { Frame, Recording } from "./recording.ts";

/** Milliseconds that a person takes. Zero is as fast as the program answers. */
export interface TypingRhythm {
  readonly perKey: number;
  readonly beforeEnter: number;
  readonly afterStep: number;
}

export interface RecordedTerminalOptions {
  readonly columns: number;
  readonly rows: number;
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly rhythm: TypingRhythm;
}

/** Milliseconds. */
const screenTimeout = 60_000;
/** Milliseconds between two frames. Shorter ones are not visible. */
const frameInterval = 25;

/**
 * Runs bash in a real terminal, presses keys and records each screen with its time. The terminal is tmux in its control
 * mode, which reports output at once, so that no screen is missed between two polls.
 */
export class RecordedTerminal implements AsyncDisposable {
  readonly #options: RecordedTerminalOptions;
  readonly #tmux: ChildProcessByStdio<Writable, Readable, null>;
  readonly #transcript = new Set<string>();
  #frames: Frame[] = [];
  #steps: number[] = [];
  #poster: number | null = null;
  readonly #pendingReplies: ((lines: readonly string[]) => void)[] = [];
  #frameAdded = Promise.withResolvers<void>();
  #isCapturing = false;
  #hasNewOutput = false;

  constructor(options: RecordedTerminalOptions) {
    this.#options = options;
    const { columns, rows, workspace, environment } = options;
    const socket = `pictures-${process.pid}`;
    const shell = ["bash", "--norc", "--noprofile"];
    const size = ["-x", String(columns), "-y", String(rows)];
    const session = ["new-session", "-s", "main", ...size, ...shell, ";", "set-option", "status", "off"];
    this.#tmux = spawn("tmux", ["-L", socket, "-f", "/dev/null", "-u", "-C", ...session], {
      cwd: workspace,
      env: environment,
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#tmux.on("error", (error) => this.#frameAdded.reject(error));
    this.#tmux.on("exit", () => this.#frameAdded.reject(new Error("tmux has exited.")));
    // A rejection counts only while a caller waits for a frame.
    this.#frameAdded.promise.catch(() => {});
    void this.#readReplies();
    void this.#send(`resize-window -t main ${size.join(" ")}`);
  }

  get recording(): Recording {
    const { columns, rows } = this.#options;
    const poster = this.#poster ?? this.#frames.length - 1;
    return { columns, rows, frames: this.#frames, steps: this.#steps, poster, transcript: [...this.#transcript] };
  }

  /** The text of the screen. */
  get text(): string {
    return rowsText(this.#frames.at(-1)?.screen.rows ?? []);
  }

  /** Types a line, waits until the screen shows what is expected, and marks that screen as the result of a step. */
  async enter(line: string, expected: RegExp): Promise<void> {
    const { rhythm } = this.#options;
    await this.type(line);
    this.#markStep();
    await wait(rhythm.beforeEnter);
    this.press("Enter");
    await this.waitFor(expected);
    await this.endStep();
  }

  /** Types a text and waits until the screen shows it, because the next key must not be taken for an earlier one. */
  async type(text: string): Promise<void> {
    const { perKey } = this.#options.rhythm;
    for (const keys of perKey === 0 ? [text] : text) {
      void this.#send(`send-keys -t main -H ${Array.from(keys, (key) => key.charCodeAt(0).toString(16)).join(" ")}`);
      await wait(perKey);
    }
    await this.#waitUntil((screen) => screen.endsWith(text), `"${text}"`);
  }

  /** Presses a key, given by its tmux name. */
  press(key: string): void {
    void this.#send(`send-keys -t main '${key}'`);
  }

  async waitFor(expected: RegExp): Promise<void> {
    await this.#waitUntil((screen) => expected.test(screen), String(expected));
  }

  /** Marks the screen as the result of a step and gives the reader time. */
  async endStep(): Promise<void> {
    this.#markStep();
    // The history has the rows that a long output moves off the screen.
    for (const line of await this.#send("capture-pane -p -S - -t main")) this.#transcript.add(line.trimEnd());
    await wait(this.#options.rhythm.afterStep);
  }

  async clear(): Promise<void> {
    this.press("C-l");
    await this.waitFor(/^\$$/);
  }

  /** Clears the screen and discards the frames so far. The recording starts here. */
  async startRecording(): Promise<void> {
    await this.clear();
    this.#frames = this.#frames.slice(-1);
    this.#steps = [];
  }

  /** Selects the screen that the picture shows without animation. Without a call it is the last one. */
  markPoster(): void {
    this.#poster = this.#frames.length - 1;
  }

  #markStep(): void {
    this.#steps.push(this.#frames.length - 1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#tmux.exitCode !== null || this.#tmux.pid === undefined) return;
    const exit = once(this.#tmux, "exit");
    void this.#send("kill-server");
    await exit;
  }

  async #waitUntil(isExpected: (screen: string) => boolean, expectation: string): Promise<void> {
    const deadline = Date.now() + screenTimeout;
    while (!isExpected(this.text)) {
      const timer = AbortSignal.timeout(Math.max(1, deadline - Date.now()));
      const timeout = once(timer, "abort").then(() => {
        throw new Error(
          `${expectation} did not appear within ${screenTimeout / 1000} s. The screen shows:\n${this.text}`,
        );
      });
      await Promise.race([this.#frameAdded.promise, timeout]);
    }
  }

  /** Sends a command to tmux and returns the lines of its reply. */
  #send(command: string): Promise<readonly string[]> {
    const reply = Promise.withResolvers<readonly string[]>();
    this.#pendingReplies.push(reply.resolve);
    this.#tmux.stdin.write(`${command}\n`);
    return reply.promise;
  }

  async #readReplies(): Promise<void> {
    let reply: string[] | null = null;
    for await (const line of createInterface({ input: this.#tmux.stdout })) {
      // The last field is 1 for commands of this client.
      if (/^%begin \d+ \d+ 1$/.test(line)) reply = [];
      else if (/^%(end|error) \d+ \d+ 1$/.test(line)) {
        this.#pendingReplies.shift()?.(reply ?? []);
        reply = null;
      } else if (reply !== null) reply.push(line);
      else if (line.startsWith("%output ")) void this.#capture();
    }
  }

  async #capture(): Promise<void> {
    this.#hasNewOutput = true;
    if (this.#isCapturing) return;
    this.#isCapturing = true;
    while (this.#hasNewOutput) {
      this.#hasNewOutput = false;
      // tmux runs both commands before it reads more output of the program.
      const [lines, [cursor = ""]] = await Promise.all([
        this.#send("capture-pane -p -e -t main"),
        this.#send("display-message -p -t main '#{cursor_x} #{cursor_y} #{cursor_flag}'"),
      ]);
      const [column = 0, row = 0, isVisible = 0] = cursor.split(" ").map(Number);
      this.#addFrame({ rows: parseRows(lines), cursor: isVisible === 1 ? { column, row } : null });
      await wait(frameInterval);
    }
    this.#isCapturing = false;
  }

  #addFrame(screen: Screen): void {
    if (JSON.stringify(screen) === JSON.stringify(this.#frames.at(-1)?.screen)) return;
    this.#frames.push({ at: performance.now(), screen });
    this.#frameAdded.resolve();
    this.#frameAdded = Promise.withResolvers();
    this.#frameAdded.promise.catch(() => {});
  }
}
