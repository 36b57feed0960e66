/** Runs the examples as a reader would, each in a folder of its own: `node scripts/examples.ts [name…]`. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, runQuietly } from "./run.ts";

export interface Example {
  readonly name: string;
  /** The file, and what is said to it. */
  readonly words: readonly [file: string, ...words: string[]];
  /** What lies in the folder before it begins. */
  readonly workspace?: string;
  /** Whether it wants a daemon to be up. */
  readonly daemon?: true;
  readonly exitCode: number;
  /** What it must print, in this order; other lines may stand between. */
  readonly prints: readonly string[];
  /** A command that must succeed in the folder afterwards. */
  readonly leaves: string;
}

const asked = ["1 session.started", "decision.requested", "decision.resolved", "file.changed", "turn.ended"];
const greeted = 'grep -q "Hello from the scripted agent" greeting.txt';
const fix = { words: ["ci-fix/main.ts"], workspace: "ci-fix/workspace" } as const;

export const examples: readonly Example[] = [
  { name: "embed", words: ["embed.ts"], exitCode: 0, prints: asked, leaves: greeted },
  { name: "client", words: ["client.ts"], daemon: true, exitCode: 0, prints: asked, leaves: greeted },
  {
    ...fix,
    name: "ci-fix",
    exitCode: 0,
    prints: ["turn 1: the test still fails", "turn 2: the test passes", "Green."],
    leaves: "node --test && grep -q 5 sum.test.js",
  },
  {
    ...fix,
    name: "ci-fix out of budget",
    words: ["ci-fix/main.ts", "--turns", "1"],
    exitCode: 3,
    prints: ["turn 1: the test still fails", "The budget is used up."],
    leaves: "! node --test",
  },
  {
    name: "chat-approvals",
    words: ["chat-approvals/main.ts"],
    exitCode: 0,
    prints: ["1: may it write note.txt?", "ada> yes 1", "1: allowed.", "2: may it run rm note.txt?", "2: denied."],
    leaves: "grep -q milk note.txt",
  },
  {
    name: "swap-agent",
    words: ["swap-agent.ts"],
    exitCode: 0,
    prints: ["scripted: completed, and there is hello.txt", "shell: completed, and there is hello.txt"],
    leaves: "cmp scripted/hello.txt shell/hello.txt",
  },
];

export interface Shown {
  readonly output: string;
  /** What is not as it should be; nothing when all is. */
  readonly wrong: readonly string[];
}

/** Runs an example and holds what it does against what is said of it. */
export async function show({ words: [file, ...words], ...example }: Example): Promise<Shown> {
  const folder = mkdtempSync(join(tmpdir(), "x-")); // short, for keepers' sockets lie below it
  const cwd = join(folder, "w");
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const env = { ...inherited, FAIRLEAD_HOME: join(folder, "h"), XDG_STATE_HOME: join(folder, "s") };
  const fairlead = (...line: string[]) =>
    runQuietly("node", [join(root, "packages/cli/src/main.ts"), ...line], { env });
  mkdirSync(cwd);
  try {
    if (example.workspace !== undefined) cpSync(join(root, "examples", example.workspace), cwd, { recursive: true });
    if (example.daemon) await fairlead("up");
    const { code, output } = await runQuietly("node", [join(root, "examples", file), ...words], { cwd, env });
    const left = await runQuietly("bash", ["-c", example.leaves], { cwd, env });
    const wrong = [
      ...(code === example.exitCode ? [] : [`it exits with ${code}`]),
      ...missing(output, example.prints).map((line) => `it does not print "${line}" where it should`),
      ...(left.code === 0 ? [] : [`it does not hold afterwards that ${example.leaves}`]),
    ];
    return { output, wrong };
  } finally {
    if (example.daemon) await fairlead("down", "--stop-sessions");
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first of the lines that does not come after the ones before it, if there is one. */
export function missing(output: string, lines: readonly string[]): string[] {
  let at = 0;
  for (const line of lines) {
    const found = output.indexOf(line, at);
    if (found < 0) return [line];
    at = found + line.length;
  }
  return [];
}

if (import.meta.main) {
  const wanted = process.argv.slice(2);
  for (const example of examples.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    console.log(`== ${example.name}: node examples/${example.words.join(" ")}`);
    const { output, wrong } = await show(example);
    console.log(output.trimEnd());
    for (const complaint of wrong) console.error(`WRONG: ${complaint}`);
    if (wrong.length > 0) process.exitCode = 1;
  }
}
