import { randomBytes } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Adapter, AgentEvent, Effect } from "@fairlead/contract";
import { adapters } from "@fairlead/adapters";
import type { Session } from "@fairlead/runtime";
import type { Claim } from "../../measure/claim.ts";
import { TestHome } from "../../measure/test-home.ts";
import { encodeValue } from "./encodings.ts";

const program = new URL("leaking-agent.ts", import.meta.url).pathname;
const variables = ["CLAIM_TOKEN", "CLAIM_PHRASE"] as const;

interface Leak {
  readonly splits: number;
  /** The encodings that are somewhere in the data directory, and the files. */
  readonly found: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  readonly searchedFiles: number;
  /** Whether the agent got the person's message and the allowed call as they were written. */
  readonly isRestored: boolean;
}

export const secretsAbsent: Claim = {
  id: "secrets-absent",
  statement: "A secret that an agent knows is in no file of the data directory, and the agent still works with it.",
  bound:
    "every encoding at every split of output, errors and screen: 0 known values in the data directory; an allowed call " +
    "that contains them ran unmasked; control: a value that is not known to be secret is found in every encoding",
  async prove() {
    const masked = await leak("CLAIM_TOKEN");
    const control = await leak("CLAIM_PHRASE");
    const encodings = encodeValue("x").length;
    return {
      measured:
        `${encodings} encodings, ${masked.splits.toLocaleString("en")} splits, ${masked.searchedFiles} files: ` +
        `${masked.found.size} encodings found${masked.found.size === 0 ? "" : ` (${describe(masked)})`}; ` +
        `the allowed call ran ${masked.isRestored ? "unmasked" : "MASKED"}; ` +
        `control: ${control.found.size} of ${encodings} encodings found in ${control.files.size} files`,
      holds: masked.found.size === 0 && masked.isRestored && masked.splits > 1000 && control.found.size === encodings,
    };
  },
};

function describe({ found, files }: Leak): string {
  return `${[...found].join(", ")} in ${[...files].join(", ")}`;
}

/** Runs a session whose agent prints a variable in all ways, and searches the data directory, also while it is in use. */
async function leak(variable: (typeof variables)[number]): Promise<Leak> {
  await using testHome = new TestHome({ ...process.env, CLAIM_TOKEN: undefined, CLAIM_PHRASE: undefined });
  const workspace = testHome.workspace();
  const value = createValue();
  const runtime = await testHome.open([createLeakingAdapter(testHome.home.sessionsFolder)], { [variable]: value });
  // The agent watches the spool, which a sandbox hides.
  const session = await runtime.start({ agent: "scripted", workspace, sandbox: { kind: "none" } });
  const message = encodeValue(value)
    .map(({ text }) => text)
    .join("\n");
  await session.send(message);
  const request = await waitFor(session, "decision.requested");
  const { command } = request.input as { command: string };
  await session.answer("d", { type: "allow", input: { command: `${command}\ntrue` } });
  await waitFor(session, "turn.ended");
  await session.takeOver({ columns: 200, rows: 24 });
  while (!existsSync(join(workspace, "screen-splits"))) await wait(20);
  const found = new Set<string>();
  const files = new Set<string>();
  const search = (): number => searchFiles(testHome.home.folder, value, found, files);
  search();
  await session.end();
  await waitFor(session, "session.ended");
  await runtime[Symbol.asyncDispose]();
  const searchedFiles = search();
  const saved = (name: string): unknown => JSON.parse(readFileSync(join(workspace, name), "utf8"));
  const ran = saved("ran") as { command: string };
  return {
    splits: Number(saved("splits")) + Number(saved("screen-splits")),
    found,
    files,
    searchedFiles,
    isRestored: saved("message") === message && ran.command === `${message}\ntrue`,
  };
}

/** Needs every kind of escaping, and does not look random, so that only the variable's name tells that it is secret. */
function createValue(): string {
  const letters = (): string => randomBytes(6).toString("hex").replace(/\d/g, "z");
  return `Q"/${letters()}+é ${letters()}&\\${letters()}~>?`;
}

/** The scripted agent with another program, which gets both variables. */
function createLeakingAdapter(sessions: string): Adapter {
  const scripted = adapters.find(({ manifest }) => manifest.id === "scripted");
  if (scripted === undefined) throw new Error("There is no scripted agent.");
  const replaceProgram = (effect: Effect): Effect =>
    effect.type === "launch" ? { ...effect, command: { ...effect.command, args: [program, sessions] } } : effect;
  return {
    ...scripted,
    manifest: { ...scripted.manifest, environment: [...scripted.manifest.environment, ...variables] },
    terminalCommand: ({ workspace }) => ({
      program: process.execPath,
      args: [program, sessions, "terminal"],
      env: {},
      cwd: workspace,
      stdin: "terminal",
    }),
    open(opening) {
      const { dialect, ...conversation } = scripted.open(opening);
      const handle: typeof dialect.handle = (state, command) => {
        const transition = dialect.handle(state, command);
        return { ...transition, effects: (transition.effects ?? []).map(replaceProgram) };
      };
      return { ...conversation, dialect: { ...dialect, handle } };
    },
  };
}

/** Waits for an event, and returns it. */
async function waitFor<Type extends AgentEvent["type"]>(
  session: Session,
  type: Type,
): Promise<Extract<AgentEvent, { type: Type }>> {
  for await (const item of session.stream(0)) {
    if ("body" in item && item.body.type === type) return item.body as Extract<AgentEvent, { type: Type }>;
  }
  throw new Error(`The session ended without ${type}.`);
}

/** Adds what it finds to `found` and `files`. Returns the number of files, with those of SQLite. */
function searchFiles(folder: string, value: string, found: Set<string>, files: Set<string>): number {
  const entries = globSync("**", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of entries) {
    const file = join(parentPath, name);
    const content = readFileSync(file);
    for (const { encoding, known } of encodeValue(value)) {
      if (!content.includes(known)) continue;
      found.add(encoding);
      files.add(relative(folder, file));
    }
  }
  return entries.length;
}
