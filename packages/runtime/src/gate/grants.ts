import type {
  DecisionReading,
  Policy,
  PolicyCategory,
  PolicyGrant,
  PolicyRule,
  PolicyRuleRef,
} from "@fairlead/contract";
import type { ShellCommand } from "@fairlead/kit";
import { inspectionOf, type Inspection } from "./inspect-action.ts";
import { leadsOutside } from "./inspect-command.ts";
import { pathOf } from "./locate-path.ts";
import { allowsCommand, matchesRule } from "./match-rule.ts";
import { onlyReads } from "./only-reads.ts";
import type { PolicyFinding } from "./policy-finding.ts";
import type { PolicyAction } from "./policy-action.ts";
import { findOption } from "./separate-arguments.ts";

/** Of these, the next call is another one: what is removed, read or configured matters, not which program does it. */
const neverGranted: ReadonlySet<string> = new Set(["destructive", "secrets", "agent-config", "undecidable"]);

/** A grant names a program or a subcommand that is not vetted. It does not allow options that make one run others. */
const isGrantable = ({ category, isUnknown }: PolicyFinding): boolean =>
  !neverGranted.has(category) && (category !== "unvetted" || isUnknown === true);
/** Of these, other arguments make another act of it: `git push` is not `git push --force`. A grant has all the words. */
const exactCategories: ReadonlySet<string> = new Set(["merge", "deploy", "secrets", "destructive"]);
/** Their first word is a group of commands, or runs others elsewhere. */
const remotePrograms: ReadonlySet<string> = new Set("gh glab aws gcloud az kubectl docker podman".split(" "));
const executingWords: ReadonlySet<string> = new Set("exec run api ssh attach debug cp eval foreach".split(" "));
/** Subcommands of git that are groups of commands. */
const gitGroups: ReadonlySet<string> = new Set(
  "lfs submodule bundle remote worktree stash notes bisect subtree sparse-checkout".split(" "),
);
/** Any further word of them is another target, another address, or code. */
const exactPrograms: ReadonlySet<string> = new Set(
  "just task make gmake rake mage invoke inv gulp grunt ninja doit nox tox run-s run-p npm-run-all curl wget http https xh perl lua luajit vi vim nvim ex emacs osascript julia psql mysql mariadb sqlite3 mongosh redis-cli".split(
    " ",
  ),
);
/** A person who is asked about more commands does not read them. */
const maxCommands = 20;
/** After these words, the next one says what runs. */
const runners: ReadonlySet<string> = new Set(["run", "run-script", "exec", "x", "compose", "tool", "task"]);
/** Programs that download others and run them. */
const npmRunners: ReadonlySet<string> = new Set("npx npm pnpm pnpx yarn bun bunx".split(" "));
const pythonRunners: ReadonlySet<string> = new Set("uvx uv pipx".split(" "));
const downloadingWords: ReadonlySet<string> = new Set("dlx create init".split(" "));
const npmSources =
  "-c --call --shell-mode -p --package --registry --script-shell --node-options --userconfig --globalconfig --ignore-existing".split(
    " ",
  );
const pythonSources =
  "--from --spec -w --with --with-editable --with-requirements -i --index --index-url --default-index --extra-index-url -f --find-links -p --python --pip-args --config-file --directory --project".split(
    " ",
  );
const pipSources =
  "-i --index-url --extra-index-url -f --find-links -t --target --prefix --root --src -r --requirement -c --constraint -e --editable --proxy --trusted-host --cert --python --config-settings".split(
    " ",
  );
const cargoSources = "--git --path --registry --index --config --root".split(" ");
/** By program, the options with which it runs, or downloads, something else than a grant names, or puts it elsewhere. */
const otherSources: ReadonlyMap<string, readonly string[]> = new Map([
  ...[...npmRunners].map((program) => [program, npmSources] as const),
  ...[...pythonRunners].map((program) => [program, pythonSources] as const),
  ["pip", pipSources],
  ["pip3", pipSources],
  ["cargo", cargoSources],
]);
/** The contract's limit. */
const maxGrantLength = 1000;
const plainWord = /^[a-z][a-z0-9:_-]*$/i;
const option = /^--?[a-z0-9]/i;

/** A grant that a person may give. */
export type OfferedGrant = NonNullable<DecisionReading["grants"]>[number];

/** A grant that answers a question. */
export interface FoundGrant {
  readonly command: string;
  readonly ref: PolicyRuleRef;
}

/**
 * Finds the grant that answers a question about an action. Each command must have been granted, or be one that no rule asks
 * about and that would run alone. Returns null if a person must be asked.
 */
export function findGrant(policies: readonly Policy[], action: PolicyAction, whole: Inspection): FoundGrant | null {
  const grants = policies.flatMap(({ source, grants: own = [] }) =>
    own.map((grant, at) => ({ grant, ref: { source, number: at + 1, grant: true } as const })),
  );
  if (grants.length === 0 || !canBeGranted(action, whole)) return null;
  const byProgram = Map.groupBy(grants, ({ grant }) => /^\s*(\S*)/.exec(grant.command)?.[1] ?? "");
  const findings = Map.groupBy(whole.findings, ({ command }) => command);
  const found = whole.commands.map((command, at) =>
    byProgram
      .get(command.program ?? "")
      ?.find(({ grant }) => covers(grant, command, findings.get(at) ?? [], action.workspace)),
  );
  const [first] = found.filter((one) => one !== undefined);
  if (first === undefined) return null;
  const rest = inspectionOf(whole, (at) => found[at] === undefined);
  return isAllowedBeside(policies, action, rest) ? { command: first.grant.command, ref: first.ref } : null;
}

/** Commands beside a granted one run only if they would run alone: a rule allows them, or they only read. */
function isAllowedBeside(policies: readonly Policy[], action: PolicyAction, rest: Inspection): boolean {
  if (rest.commands.length === 0) return true;
  if (askingRules(policies).some((rule) => matchesRule(rule, action, rest))) return false;
  const rules = policies.flatMap(({ rules: own }) => own.filter(({ verdict }) => verdict === "allow"));
  return onlyReads(action, rest) || rules.some((rule) => matchesRule(rule, action, rest));
}

/** Derives what a person could allow in general: the first words of each command that is asked about. */
export function deriveGrants(policies: readonly Policy[], action: PolicyAction, whole: Inspection): OfferedGrant[] {
  if (!canBeGranted(action, whole) || whole.commands.length > maxCommands) return [];
  const rules = askingRules(policies);
  const grants = new Map<string, OfferedGrant>();
  for (const [at, command] of whole.commands.entries()) {
    const part = inspectionOf(whole, (one) => one === at);
    if (!rules.some((rule) => matchesRule(rule, action, part))) continue;
    const findings = findingsOf(whole, at);
    const categories = findings.map(({ category }) => category as PolicyCategory);
    const words = firstWords(command, categories);
    if (words === null || !findings.every(isGrantable)) return [];
    const earlier = grants.get(words)?.categories ?? [];
    const all = [...new Set([...earlier, ...categories])];
    const exactness = isExact(words.split(" "), all) ? { isExact: true as const } : {};
    grants.set(words, { command: words, categories: all, ...exactness });
  }
  const derived = [...grants.values()];
  // Only what would be answered is offered.
  const answers = [...policies, { source: "the answer", rules: [], grants: derived }];
  return findGrant(answers, action, whole) === null ? [] : derived;
}

/** A grant is about commands that are known, and run in the workspace itself: in another folder the same words do other things. */
function canBeGranted({ kind }: PolicyAction, { findings, leavesWorkspace, folders }: Inspection): boolean {
  return (
    kind === "run" &&
    !leavesWorkspace &&
    folders.length === 0 &&
    findings.every(({ category }) => category !== "undecidable")
  );
}

function covers(
  { command: words, categories }: PolicyGrant,
  command: ShellCommand,
  findings: readonly PolicyFinding[],
  workspace: string | undefined,
): boolean {
  const { args, wrappers, assignments, isFunction } = command;
  if (isFunction || wrappers.length > 0 || assignments.length > 0 || !allowsCommand(words, command)) return false;
  if (!args.every((word) => word.value !== null && !leadsOutside(pathOf(word), { workspace }))) return false;
  const granted = words.trim().split(/\s+/);
  if (isExact(granted, categories) && granted.length !== args.length + 1) return false;
  if (granted.length !== args.length + 1 && namesOther(command)) return false;
  const isShown = ({ category }: PolicyFinding): boolean => (categories as readonly string[]).includes(category);
  return findings.every((finding) => isGrantable(finding) && isShown(finding));
}

/** Reports whether an argument makes a program act on something else than the words of a grant say. */
function namesOther({ program, args }: ShellCommand): boolean {
  if (program === "git" && args.some(({ value }) => isRefspec(value ?? ""))) return true;
  return findOption(args, otherSources.get(program ?? "") ?? []) !== null;
}

/** `main:main` and `+main` write refs. An address has a colon, too. */
const isRefspec = (word: string): boolean => /:|^\+/.test(word);

/** Returns how many words say what runs: `lint`, `run lint`, `tool run lint`. */
function countNamingWords(program: string, values: readonly string[]): number {
  const downloads = npmRunners.has(program) && downloadingWords.has(values[0] ?? "");
  let count = downloads || isGroup(program, values[0]) ? 2 : 1;
  while (runners.has(values[count - 1] ?? "")) count += 1;
  return count;
}

/** Reports whether the first word is a group of commands, so that the second one says what is done. */
function isGroup(program: string, first = ""): boolean {
  return remotePrograms.has(program) || (program === "git" && gitGroups.has(first));
}

/** Reports whether a grant allows no arguments besides its own words. */
function isExact(words: readonly string[], categories: readonly string[]): boolean {
  return words.length === 1 || words.some((word) => option.test(word)) || mattersWhole(words, categories);
}

/** Reports whether all words of a command matter, and not only the first ones. */
function mattersWhole([program = "", ...words]: readonly string[], categories: readonly string[]): boolean {
  if (categories.some((category) => exactCategories.has(category))) return true;
  if (words.length > 0 && exactPrograms.has(program)) return true;
  if (program === "git" && words.some(isRefspec)) return true;
  const [first = "", second = ""] = words;
  return isGroup(program, first) && [first, second].some((word) => !plainWord.test(word) || executingWords.has(word));
}

/** Returns the words that a grant would name, or null if the command has none that could stand for it. */
function firstWords({ program, path, args }: ShellCommand, categories: readonly string[]): string | null {
  if (program === null || path !== program) return null;
  const values = args.map(({ value }) => value ?? "");
  const count = countNamingWords(program, values);
  const words = values.slice(0, count);
  const isPlain = words.length === count && words.every((word) => plainWord.test(word));
  const isGit = program === "git" && isPlain;
  if (
    values.every((value) => option.test(value)) ||
    mattersWhole(isGit ? [program, ...values] : isPlain ? [program, ...words] : [program], categories)
  ) {
    // A rule reads `*` as any word, and a blank as the end of one.
    const line = [program, ...values].join(" ");
    return values.every((value) => /^[^\s*]+$/.test(value)) && line.length <= maxGrantLength ? line : null;
  }
  return isPlain ? [program, ...words].join(" ") : null;
}

const findingsOf = ({ findings }: Inspection, at: number): PolicyFinding[] =>
  findings.filter(({ command }) => command === at);

const askingRules = (policies: readonly Policy[]): PolicyRule[] =>
  policies.flatMap(({ rules }) => rules.filter(({ verdict }) => verdict === "ask"));
