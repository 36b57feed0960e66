/**
 * Writes docs/use/tour.md by running the CLI in a real terminal: `scripts/offline node scripts/tour.ts`. Needs tmux, and
 * the agents of `npm run agents`. The page shows the screens of the terminal.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { agentProgram, isolatedEnvironment, openLab, scriptPrompt } from "@fairlead/lab";
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
async function typeCommand(text: string, expected: RegExp): Promise<void> {
  terminal.type(text);
  terminal.press("Enter");
  await terminal.waitFor(expected);
}

const prompt = /\n\$$/;

const write = { name: "Write", input: { file_path: join(project, "hello.txt"), content: "Hello.\n" } };
const steps = [{ think: "One file will do.", text: "I will write it.", tools: [write] }, { text: "It is written." }];
writeFileSync(join(project, "task.txt"), scriptPrompt(steps, "Write hello.txt."));
writeFileSync(
  join(project, "more.txt"),
  scriptPrompt([{ text: "You asked me to write hello.txt, and I did." }], "What did I ask?"),
);

const sections: [title: string, intro: string, screen: string][] = [];
async function captureSection(title: string, intro: string, action: () => Promise<void>): Promise<void> {
  await typeCommand("clear", /^\$$/);
  await action();
  const screen = terminal.screen
    .replaceAll(folder, "~")
    .replaceAll(root.replace(/\/$/, ""), "fairlead")
    .replace(prompt, "");
  sections.push([title, intro, screen]);
}

await typeCommand(`cd ${project}`, prompt);

await captureSection(
  "Find agents",
  "`doctor` looks for agents, asks each for its version and its flags, and reports problems.",
  () => typeCommand("fairlead doctor claude-code", prompt),
);
await captureSection(
  "A demo without an account",
  "The scripted agent runs a script. It asks for approval, writes files and runs commands like any other agent.",
  async () => {
    await typeCommand('fairlead run scripted "Say hello"', /Allow\?.*$/);
    await typeCommand("y", /Allow\?[^]*Allow\?/);
    await typeCommand("y", /Continue with/);
  },
);
await captureSection(
  "A session with Claude Code",
  "The real program with a scripted model, because this page is written offline (`task.txt` carries the script).",
  async () => {
    await typeCommand('fairlead run claude-code "$(cat task.txt)"', /Allow\?.*$/);
    await typeCommand("y", /Continue with/);
  },
);
const id = /fairlead resume (\w+)/.exec(terminal.screen)?.[1] ?? "";
await captureSection(
  "Resume the conversation in a new process",
  "`run` pauses its session at the end. `resume` continues it.",
  () => typeCommand(`fairlead resume ${id.slice(0, 4)} "$(cat more.txt)"`, /Continue with/),
);
await captureSection("List all sessions", "A unique prefix of an id is enough to name a session.", () =>
  typeCommand("fairlead ls", prompt),
);
await captureSection(
  "Show what happened",
  "`logs` reads the journal. `-f` follows it, and `--json` prints the events.",
  () => typeCommand(`fairlead logs ${id.slice(0, 4)}`, prompt),
);
await captureSection("End a session", "`stop` ends a session permanently and keeps its data.", () =>
  typeCommand(`fairlead stop ${id.slice(0, 4)}`, prompt),
);
await typeCommand("fairlead down --stop-sessions", /daemon is stopped/);

const page = [
  "# A tour",
  "",
  "`scripts/offline node scripts/tour.ts` writes this page. It types these commands into a real terminal and copies the screen.",
  ...sections.flatMap(([title, intro, screen]) => ["", `## ${title}`, "", intro, "", "```", screen, "```"]),
  "",
].join("\n");
writeFileSync(join(root, "docs/use/tour.md"), page);
rmSync(folder, { recursive: true, force: true });
