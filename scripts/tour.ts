/**
 * Writes docs/use/tour.md by running the CLI in a real terminal: `scripts/offline node scripts/tour.ts`. Needs tmux, git
 * and the agents of `npm run agents`. The page shows the screens of the terminal.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { agentProgram, isolatedEnvironment, openLab } from "@fairlead/lab";
import { endProcessesOfHome } from "./end-processes-of-home.ts";
import { root } from "./run.ts";
import { TmuxTerminal } from "./tmux-terminal.ts";
import { createTourScripts, tourProject, tourSections, type TourBlock, type TourSection } from "./tour-sections.ts";

const folder = mkdtempSync(join(tmpdir(), "t-")); // A short path, because the keeper's socket is below it.
const home = join(folder, "home");
await using _ = {
  async [Symbol.asyncDispose]() {
    await endProcessesOfHome(home);
    rmSync(folder, { recursive: true, force: true });
  },
};
await using lab = await openLab();
const project = join(home, "parser");
const environment = isolatedEnvironment(folder, lab, project);
createProject();
for (const [prompt, steps] of Object.entries(createTourScripts((file) => join(project, file))))
  lab.registerScript(prompt, steps);

const path = [createPrograms(), dirname(process.execPath), environment["PATH"]].join(":");
const shell = { ...environment, PATH: path, PS1: "$ " };
using firstTerminal = new TmuxTerminal("tour", shell, ["bash", "--norc", "--noprofile"]);
using otherTerminal = new TmuxTerminal("tour-other", shell, ["bash", "--norc", "--noprofile"]);

const pages: string[] = [];
for (const terminal of [firstTerminal, otherTerminal]) await typeLine(terminal, `cd ${project}`, /\n\$$/);
for (const section of tourSections) pages.push(await renderSection(section));
await typeLine(firstTerminal, "fairlead down --stop-sessions", /daemon is stopped/);

const intro = [
  "`scripts/offline node scripts/tour.ts` writes this page. It types these commands into a real terminal and copies the screens.",
  "Claude Code is the real program. Its model is a script on this machine, because the page is written without a network.",
];
writeFileSync(join(root, "docs/use/tour.md"), ["# A tour", "", ...intro, ...pages, ""].join("\n"));

/** Creates a git repository, so that `diff` shows only what the agents change. */
function createProject(): void {
  mkdirSync(project);
  for (const [file, content] of Object.entries(tourProject)) writeFileSync(join(project, file), content);
  const author = ["-c", "user.name=Tour", "-c", "user.email=tour@localhost"];
  for (const args of [
    ["init", "--quiet"],
    ["add", "--all"],
    [...author, "commit", "--quiet", "--message=Start"],
  ])
    execFileSync("git", args, { cwd: project, env: environment });
}

/** Installs `fairlead` and the agent where a person would have them. Returns the folder. */
function createPrograms(): string {
  const bin = join(home, ".local/bin");
  mkdirSync(bin, { recursive: true });
  const program = join(root, "packages/cli/src/main.ts");
  writeFileSync(join(bin, "fairlead"), `#!/bin/sh\nexec node ${program} "$@"\n`, { mode: 0o755 });
  symlinkSync(agentProgram("claude-code"), join(bin, "claude"));
  return bin;
}

async function renderSection({ title, intro, blocks }: TourSection): Promise<string> {
  const lines = ["", `## ${title}`, "", intro];
  for (const block of blocks) {
    const screen = await runBlock(block);
    if (block.label !== undefined) lines.push("", block.label);
    if (!block.isHidden) lines.push("", "```console", screen, "```");
  }
  return lines.join("\n");
}

/** Runs the steps of a block and returns the screen, without the prompt at its end. */
async function runBlock({ steps, isOtherTerminal, isContinued }: TourBlock): Promise<string> {
  const terminal = isOtherTerminal ? otherTerminal : firstTerminal;
  if (!isContinued) await typeLine(terminal, "clear", /^\$$/);
  for (const { type, press, until } of steps) {
    if (press !== undefined) terminal.press(press);
    if (type === undefined) await terminal.waitFor(until);
    else await typeLine(terminal, type, until);
  }
  const screen = terminal.screen.replaceAll(home, "~").replaceAll(root.replace(/\/$/, ""), "fairlead");
  // An agent's own terminal leaves most of its screen empty.
  const lines = screen.replace(/\n\$$/, "").split("\n");
  return lines
    .map((line) => line.trimEnd())
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .replace(/^\n+/, "");
}

async function typeLine(terminal: TmuxTerminal, text: string, until: RegExp): Promise<void> {
  terminal.type(text);
  // An agent's terminal treats an Enter that arrives together with text as part of a paste.
  await terminal.waitFor(new RegExp(RegExp.escape(text)));
  terminal.press("Enter");
  await terminal.waitFor(until);
}
