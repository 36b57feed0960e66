/**
 * Types the README's quick start into a real terminal with an empty home, and writes docs/use/first-five-minutes.md:
 * `node scripts/first-five-minutes.ts`. Needs tmux and the npm registry.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { endProcessesOfHome } from "./end-processes-of-home.ts";
import { renderFirstFiveMinutes, transcriptPage } from "./first-five-minutes-page.ts";
import { pack } from "./pack.ts";
import { findProblems, insertSessionId, readQuickStart, type TypedCommand } from "./quick-start.ts";
import { root } from "./run.ts";
import { TmuxTerminal } from "./tmux-terminal.ts";

/** The longest time in milliseconds that one command may take. */
const commandTimeout = 300_000;

export interface FirstFiveMinutes {
  /** Milliseconds for the installation with an empty npm cache. */
  readonly install: number;
  /** Milliseconds from the start of `fairlead run` to the first event that it shows. */
  readonly firstEvent: number;
  /** Milliseconds for all commands, with approvals answered at once. */
  readonly total: number;
  readonly commands: readonly TypedCommand[];
  /** What went wrong: exit codes, and what the screens lack. */
  readonly problems: readonly string[];
}

/** Packs Fairlead, then types the quick start in an empty home and answers every approval with `y`. */
export async function runFirstFiveMinutes(): Promise<FirstFiveMinutes> {
  const folder = mkdtempSync(join(tmpdir(), "m-")); // A short path, because the keeper's socket is below it.
  const home = join(folder, "home");
  const cwd = join(home, "hello");
  mkdirSync(cwd, { recursive: true });
  await using _ = {
    async [Symbol.asyncDispose]() {
      await endProcessesOfHome(home);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await pack(cwd);
  const runs = await typeQuickStart(folder, home, cwd);
  const commands = runs.map(({ line, screen }) => ({ line, screen: screen.replaceAll(home, "~") }));
  const failures = runs.filter(({ exitCode }) => exitCode !== "0");
  return {
    install: runs.find(({ line }) => line.startsWith("npm install "))?.duration ?? Infinity,
    firstEvent: runs.find(({ line }) => line.startsWith("fairlead run "))?.firstEvent ?? Infinity,
    total: runs.reduce((sum, { duration }) => sum + duration, 0),
    commands,
    problems: [...failures.map(({ line, exitCode }) => `${line} exited with ${exitCode}`), ...findProblems(commands)],
  };
}

interface CommandRun extends TypedCommand {
  readonly exitCode: string;
  /** Milliseconds until the screen shows the first event, which is the start of the session. */
  readonly firstEvent: number;
  /** Milliseconds. */
  readonly duration: number;
}

async function typeQuickStart(folder: string, home: string, cwd: string): Promise<CommandRun[]> {
  const exitCodes = join(folder, "exit-codes");
  const environment = { ...createEnvironment(folder, home), PS1: "$ ", PROMPT_COMMAND: `echo $? >> ${exitCodes}` };
  using terminal = new TmuxTerminal("first", environment, ["bash", "--norc", "--noprofile"], { rows: 120 });
  await terminal.waitFor(/^\$$/);
  await typeCommand(terminal, `cd ${cwd}`);
  const runs: CommandRun[] = [];
  for (const template of readQuickStart(readFileSync(join(root, "README.md"), "utf8"))) {
    const run = await typeCommand(terminal, insertSessionId(template, runs));
    runs.push({ ...run, exitCode: readFileSync(exitCodes, "utf8").trim().split("\n").at(-1) ?? "" });
  }
  return runs;
}

const question = /\[s\]top$/;
const questionOrPrompt = /\[s\]top$|\n\$$/;

async function typeCommand(terminal: TmuxTerminal, line: string): Promise<Omit<CommandRun, "exitCode">> {
  terminal.type("clear");
  terminal.press("Enter");
  await terminal.waitFor(/^\$$/);
  terminal.type(line);
  terminal.press("Enter");
  const startedAt = performance.now();
  let firstEvent = Infinity;
  if (line.startsWith("fairlead run ")) {
    await terminal.waitFor(/ · session \w+/);
    firstEvent = performance.now() - startedAt;
  }
  let screen = await terminal.waitFor(questionOrPrompt, commandTimeout);
  for (let answers = 1; question.test(screen); answers += 1) {
    terminal.type("y");
    terminal.press("Enter");
    // Otherwise the old screen would look like a second question.
    await terminal.waitFor(new RegExp(`(\\[s\\]top y[^]*){${answers}}`));
    screen = await terminal.waitFor(questionOrPrompt);
  }
  const duration = performance.now() - startedAt;
  return { line, screen: screen.replace(/\n\$$/, ""), firstEvent, duration };
}

/** Creates an environment with a new home, npm prefix and npm cache. It inherits only the registry settings. */
function createEnvironment(folder: string, home: string): Record<string, string> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    /^(npm_config_registry|.*_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE)$/i.test(name) ? [[name, value ?? ""]] : [],
  );
  return {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    LANG: "C.UTF-8",
    PATH: [join(folder, "npm/bin"), dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    HOME: home,
    npm_config_prefix: join(folder, "npm"),
    npm_config_cache: join(folder, "cache"),
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
}

if (import.meta.main) {
  const { commands, problems, install, total } = await runFirstFiveMinutes();
  if (problems.length > 0) {
    for (const { screen } of commands) console.error(`${screen}\n`);
    throw new Error(`The quick start failed:\n${problems.join("\n")}`);
  }
  const seconds = { install: Math.ceil(install / 1000), total: Math.ceil(total / 1000) };
  writeFileSync(transcriptPage, renderFirstFiveMinutes({ commands, seconds }));
  console.log(`The quick start took ${seconds.total} s, of which npm install took ${seconds.install} s.`);
}
