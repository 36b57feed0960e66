/**
 * Makes docs/tour.md by really running the CLI in a terminal: `scripts/offline node scripts/tour.ts`. Needs tmux, and the
 * agents of `npm run agents`. What stands in the page is what stood on the screen.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { agentProgram, isolatedEnvironment, openLab, script } from "@fairlead/lab";
import { root } from "./run.ts";
import { TmuxTerminal } from "./tmux-terminal.ts";

const folder = mkdtempSync(join(tmpdir(), "tour-"));
const project = join(folder, "project");
mkdirSync(project);
await using lab = await openLab();

const environment = isolatedEnvironment(folder, lab);
const bin = join(folder, "bin");
mkdirSync(bin);
writeFileSync(join(bin, "fairlead"), `#!/bin/sh\nexec node ${join(root, "packages/cli/src/main.ts")} "$@"\n`, {
  mode: 0o755,
});
const path = [bin, dirname(process.execPath), dirname(agentProgram("claude-code")), environment["PATH"]].join(":");
const shell = { ...environment, PATH: path, FAIRLEAD_HOME: join(folder, "fl"), PS1: "$ " };
using terminal = new TmuxTerminal("tour", shell, ["bash", "--norc", "--noprofile"]);

/** Types a command and waits until the screen shows what is expected. */
async function enter(text: string, expected: RegExp): Promise<void> {
  terminal.type(text);
  terminal.press("Enter");
  await terminal.see(expected);
}

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
  await enter("clear", /^\$$/);
  await play();
  const shown = terminal.screen
    .replaceAll(folder, "~")
    .replaceAll(root.replace(/\/$/, ""), "fairlead")
    .replace(prompt, "");
  scenes.push([title, words, shown]);
}

await enter(`cd ${project}`, prompt);

await scene(
  "What is here",
  "`doctor` looks for agents, asks each for its version and its flags, and says what stands in the way.",
  () => enter("fairlead doctor claude-code", prompt),
);
await scene(
  "A demo without an account",
  "The scripted agent plays a script; it really asks, writes and runs.",
  async () => {
    await enter('fairlead run scripted "Say hello"', /Allow\?.*$/);
    await enter("y", /Allow\?[^]*Allow\?/);
    await enter("y", /goes on/);
  },
);
await scene(
  "A session with Claude Code",
  "The real program; its model is played by the lab, since this page is made offline (`task.txt` carries the script).",
  async () => {
    await enter('fairlead run claude-code "$(cat task.txt)"', /Allow\?.*$/);
    await enter("y", /goes on/);
  },
);
const id = /fairlead resume (\w+)/.exec(terminal.screen)?.[1] ?? "";
await scene("The same conversation, in a new process", "A run pauses its session; `resume` takes it up.", () =>
  enter(`fairlead resume ${id.slice(0, 4)} "$(cat more.txt)"`, /goes on/),
);
await scene("All sessions", "Any beginning of an id will do, as long as it is the only one.", () =>
  enter("fairlead ls", prompt),
);
await scene("What happened", "`logs` reads the journal; `-f` follows it, `--json` gives the events themselves.", () =>
  enter(`fairlead logs ${id.slice(0, 4)}`, prompt),
);
await scene("The end", "`stop` ends a session for good and keeps everything.", () =>
  enter(`fairlead stop ${id.slice(0, 4)}`, prompt),
);
await enter("fairlead down --stop-sessions", /is down/);

const page = [
  "# A tour",
  "",
  "Made by `scripts/offline node scripts/tour.ts`, which types these commands into a real terminal and writes down the screen.",
  ...scenes.flatMap(([title, words, screen]) => ["", `## ${title}`, "", words, "", "```", screen, "```"]),
  "",
].join("\n");
writeFileSync(join(root, "docs/tour.md"), page);
rmSync(folder, { recursive: true, force: true });
