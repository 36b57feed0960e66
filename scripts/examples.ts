/** Runs the examples, each in a temporary folder: `node scripts/examples.ts [name…]`. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, runQuietly } from "./run.ts";

export interface Example {
  readonly name: string;
  /** The file below examples/, and its arguments. */
  readonly command: readonly [file: string, ...args: string[]];
  /** A folder below examples/ that is copied into the working folder first. */
  readonly workspace?: string;
  /** Set if the example starts a daemon, which the runner then stops. */
  readonly daemon?: true;
  readonly exitCode: number;
  /** Texts that the example must print in this order. There may be other output between them. */
  readonly expectedOutput: readonly string[];
  /** A shell command that must succeed in the working folder afterwards. */
  readonly checkAfter: string;
}

const approvalOutput = ["1 session.started", "decision.requested", "decision.resolved", "file.changed", "turn.ended"];
const greetingCheck = 'grep -q "Hello from the scripted agent" greeting.txt';
const ciFix = { command: ["ci-fix/main.ts"], workspace: "ci-fix/workspace" } as const;

export const examples: readonly Example[] = [
  { name: "embed", command: ["embed.ts"], exitCode: 0, expectedOutput: approvalOutput, checkAfter: greetingCheck },
  {
    name: "client",
    command: ["client.ts"],
    daemon: true,
    exitCode: 0,
    expectedOutput: approvalOutput,
    checkAfter: greetingCheck,
  },
  {
    ...ciFix,
    name: "ci-fix",
    exitCode: 0,
    expectedOutput: ["turn 1: the test still fails", "turn 2: the test passes", "The test passes."],
    checkAfter: "node --test && grep -q 5 sum.test.js",
  },
  {
    ...ciFix,
    name: "ci-fix out of budget",
    command: ["ci-fix/main.ts", "--turns", "1"],
    exitCode: 3,
    expectedOutput: ["turn 1: the test still fails", "The budget is exhausted."],
    checkAfter: "! node --test",
  },
  {
    name: "chat-approvals",
    command: ["chat-approvals/main.ts"],
    exitCode: 0,
    expectedOutput: [
      "1: Allow the agent to write note.txt?",
      "ada> yes 1",
      "1: allowed.",
      "2: Allow the agent to run rm note.txt?",
      "2: denied.",
    ],
    checkAfter: "grep -q milk note.txt",
  },
  {
    name: "swap-agent",
    command: ["swap-agent.ts"],
    exitCode: 0,
    expectedOutput: ["scripted: completed, created hello.txt", "shell: completed, created hello.txt"],
    checkAfter: "cmp scripted/hello.txt shell/hello.txt",
  },
  {
    name: "foreman",
    command: ["foreman/main.ts"],
    exitCode: 0,
    expectedOutput: [
      "1 run.started",
      "acceptance.ended",
      "verdict.given",
      "decision.requested",
      "decision.resolved",
      "branch.pushed",
      "request.made",
      "done: The request for fairlead/run-",
      "farewell.txt",
    ],
    checkAfter: 'ls remote.git.requests/fairlead-run-*.json && test -z "$(git -C project status --short)"',
  },
];

export interface ExampleResult {
  readonly output: string;
  /** One phrase per failed expectation. */
  readonly problems: readonly string[];
}

/** Runs an example and compares the result with its expectations. */
export async function runExample({ command: [file, ...args], ...example }: Example): Promise<ExampleResult> {
  const folder = mkdtempSync(join(tmpdir(), "x-")); // A short path, because the keepers' sockets are below it.
  const cwd = join(folder, "w");
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const env = { ...inherited, FAIRLEAD_HOME: join(folder, "h"), XDG_STATE_HOME: join(folder, "s") };
  const fairlead = (...cliArgs: string[]) =>
    runQuietly("node", [join(root, "packages/cli/src/main.ts"), ...cliArgs], { env });
  mkdirSync(cwd);
  try {
    if (example.workspace !== undefined) cpSync(join(root, "examples", example.workspace), cwd, { recursive: true });
    const { code, output } = await runQuietly("node", [join(root, "examples", file), ...args], { cwd, env });
    const check = await runQuietly("bash", ["-c", example.checkAfter], { cwd, env });
    const problems = [
      ...(code === example.exitCode ? [] : [`the exit code is ${code}`]),
      ...findMissing(output, example.expectedOutput).map(
        (text) => `"${text}" is missing in the output, or in the wrong order`,
      ),
      ...(check.code === 0 ? [] : [`this command fails afterwards: ${example.checkAfter}`]),
    ];
    return { output, problems };
  } finally {
    if (example.daemon) await fairlead("down", "--stop-sessions");
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the first text that does not follow the texts before it, or an empty list. */
export function findMissing(output: string, lines: readonly string[]): string[] {
  let position = 0;
  for (const line of lines) {
    const index = output.indexOf(line, position);
    if (index < 0) return [line];
    position = index + line.length;
  }
  return [];
}

if (import.meta.main) {
  const requestedNames = process.argv.slice(2);
  for (const example of examples.filter(({ name }) => requestedNames.length === 0 || requestedNames.includes(name))) {
    console.log(`== ${example.name}: node examples/${example.command.join(" ")}`);
    const { output, problems } = await runExample(example);
    console.log(output.trimEnd());
    for (const problem of problems) console.error(`FAILED: ${problem}`);
    if (problems.length > 0) process.exitCode = 1;
  }
}
