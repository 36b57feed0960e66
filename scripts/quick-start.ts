/** A command of the README's quick start with the screen that it left. The screen starts with the command line. */
export interface TypedCommand {
  readonly line: string;
  readonly screen: string;
}

const marker = "<!-- quick-start -->";
/** What the README writes for the id of the session. */
const idPlaceholder = /\bID\b/g;

/** Returns the commands of the README's quick start. */
export function readQuickStart(readme: string): string[] {
  const afterMarker = readme.split(marker)[1] ?? "";
  const block = /^\s*```sh[^\n]*\n([^]*?)\n```/.exec(afterMarker)?.[1];
  if (block === undefined) throw new Error(`README.md has no sh block after ${marker}.`);
  return block.split("\n").filter((line) => line.trim() !== "");
}

/** Returns the id of the session that a screen says how to continue. */
function findSessionId(screen: string): string | undefined {
  return /^Continue with: fairlead resume (\w+)/m.exec(screen)?.[1];
}

/** Replaces the placeholder of the README by the id of the session that the commands so far have started. */
export function insertSessionId(line: string, commands: readonly TypedCommand[]): string {
  const id = commands.map(({ screen }) => findSessionId(screen)).find((found) => found !== undefined);
  if (id === undefined && line.search(idPlaceholder) >= 0)
    throw new Error(`${line} needs a session, but no earlier command has printed one.`);
  return line.replaceAll(idPlaceholder, id ?? "");
}

/** What each step of the quick start must show. A newcomer who does not see it has not succeeded. */
const expectedScreens: readonly { readonly command: RegExp; readonly patterns: readonly RegExp[] }[] = [
  { command: /^npm install /, patterns: [/^added \d+ packages/m] },
  {
    command: /^fairlead run /,
    patterns: [/^Allow\? .*\[s\]top y$/m, /^ {2}✓ /m, /^— completed/m, /^Continue with: fairlead resume \w+/m],
  },
  {
    command: /^fairlead resume /,
    patterns: [/^Resumed \w+\.$/m, /^Allow\? .*\[s\]top y$/m, /^— completed/m, /^Continue with: fairlead resume \w+/m],
  },
  {
    command: /^fairlead logs /,
    patterns: [
      / {2}allowed by a person \(.+\)$/m,
      /^Resumed, with the agent's own history\.$/m,
      /^— completed[^]*^— completed/m,
    ],
  },
];

/** Lists what the screens of the quick start lack: a step, an answered approval, a resumed turn, both turns in the log. */
export function findProblems(commands: readonly TypedCommand[]): string[] {
  const problems = expectedScreens.flatMap(({ command, patterns }) => {
    const typed = commands.find(({ line }) => command.test(line));
    if (typed === undefined) return [`no command matches ${command}`];
    return patterns.filter((pattern) => !pattern.test(typed.screen)).map((pattern) => `${typed.line}: no ${pattern}`);
  });
  const log = commands.find(({ line }) => line.startsWith("fairlead logs "));
  const prompts = commands.flatMap(({ line }) => /^fairlead (?:run|resume) .*"(.+)"$/.exec(line)?.[1] ?? []);
  const missing = prompts.filter((prompt) => !log?.screen.includes(`\n> ${prompt}\n`));
  return [...problems, ...missing.map((prompt) => `the log has no message "${prompt}"`)];
}
