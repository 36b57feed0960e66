/**
 * Makes docs/tour.md by really running the CLI in a terminal: `scripts/offline node scripts/tour.ts`. Needs tmux, and the
 * agents of `npm run agents`. What stands in the page is what stood on the screen.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { agentProgram, isolatedEnvironment, openLab, script } from "@fairlead/lab";
import { root } from "./run.ts";

const folder = mkdtempSync(join(tmpdir(), "tour-"));
const project = join(folder, "project");
mkdirSync(project);
await using lab = await openLab();

/** A real terminal, of which one can see the screen. */
class Terminal implements Disposable {
  readonly #socket = `tour-${process.pid}`;
  readonly #environment: Readonly<Record<string, string>>;

  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment;
    this.#tmux("new-session", "-d", "-s", "tour", "-x", "100", "-y", "48", "bash", "--norc", "--noprofile");
  }

  /** Types a command and waits until the screen shows what is expected. */
  async type(text: string, expected: RegExp): Promise<void> {
    this.#tmux("send-keys", "-t", "tour", "-l", text);
    this.#tmux("send-keys", "-t", "tour", "Enter");
    await this.see(expected);
  }

  async see(expected: RegExp): Promise<void> {
    for (const deadline = Date.now() + 30_000; !expected.test(this.screen); await wait(50)) {
      if (Date.now() > deadline) throw new Error(`${expected} did not appear on this screen:\n${this.screen}`);
    }
  }

  get screen(): string {
    return this.#tmux("capture-pane", "-t", "tour", "-p").trimEnd();
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

const environment = isolatedEnvironment(folder, lab);
const bin = join(folder, "bin");
mkdirSync(bin);
writeFileSync(join(bin, "fairlead"), `#!/bin/sh\nexec node ${join(root, "packages/cli/src/main.ts")} "$@"\n`, {
  mode: 0o755,
});
const path = [bin, dirname(process.execPath), dirname(agentProgram("claude-code")), environment["PATH"]].join(":");
using terminal = new Terminal({
  ...environment,
  PATH: path,
  FAIRLEAD_HOME: join(folder, "fl"),
  PS1: "$ ",
  TERM: "xterm-256color",
});
const prompt = /\n\$$/;

const write = { name: "Write", input: { file_path: join(project, "hello.txt"), content: "Hello.\n" } };
const steps = [{ think: "One file will do.", text: "I will write it.", tools: [write] }, { text: "It is written." }];
writeFileSync(join(project, "task.txt"), script(steps, "Write hello.txt."));
writeFileSync(
  join(project, "more.txt"),
  script([{ text: "You asked me to write hello.txt, and I did." }], "What did I ask?"),
);

const scenes: [title: string, words: string, screen: string][] = [];
async function scene(title: string, words: string, play: () => Promise<void>): Promise<void> {
  await terminal.type("clear", /^\$$/);
  await play();
  const shown = terminal.screen
    .replaceAll(folder, "~")
    .replaceAll(root.replace(/\/$/, ""), "fairlead")
    .replace(prompt, "");
  scenes.push([title, words, shown]);
}

await terminal.type(`cd ${project}`, prompt);

await scene(
  "What is here",
  "`doctor` looks for agents, asks each for its version and its flags, and says what stands in the way.",
  () => terminal.type("fairlead doctor claude-code", prompt),
);
await scene(
  "A demo without an account",
  "The scripted agent plays a script; it really asks, writes and runs.",
  async () => {
    await terminal.type('fairlead run scripted "Say hello"', /Allow\?.*$/);
    await terminal.type("y", /Allow\?[^]*Allow\?/);
    await terminal.type("y", /goes on/);
  },
);
await scene(
  "A session with Claude Code",
  "The real program; its model is played by the lab, since this page is made offline (`task.txt` carries the script).",
  async () => {
    await terminal.type('fairlead run claude-code "$(cat task.txt)"', /Allow\?.*$/);
    await terminal.type("y", /goes on/);
  },
);
const id = /fairlead resume (\w+)/.exec(terminal.screen)?.[1] ?? "";
await scene("The same conversation, in a new process", "A run pauses its session; `resume` takes it up.", () =>
  terminal.type(`fairlead resume ${id.slice(0, 4)} "$(cat more.txt)"`, /goes on/),
);
await scene("All sessions", "Any beginning of an id will do, as long as it is the only one.", () =>
  terminal.type("fairlead ls", prompt),
);
await scene("What happened", "`logs` reads the journal; `-f` follows it, `--json` gives the events themselves.", () =>
  terminal.type(`fairlead logs ${id.slice(0, 4)}`, prompt),
);
await scene("The end", "`stop` ends a session for good and keeps everything.", () =>
  terminal.type(`fairlead stop ${id.slice(0, 4)}`, prompt),
);
await terminal.type("fairlead down --stop-sessions", /is down/);

const page = [
  "# A tour",
  "",
  "Made by `scripts/offline node scripts/tour.ts`, which types these commands into a real terminal and writes down the screen.",
  ...scenes.flatMap(([title, words, screen]) => ["", `## ${title}`, "", words, "", "```", screen, "```"]),
  "",
].join("\n");
writeFileSync(join(root, "docs/tour.md"), page);
rmSync(folder, { recursive: true, force: true });
