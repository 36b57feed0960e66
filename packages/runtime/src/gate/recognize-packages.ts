import { leadingText, variableRunsPrograms, type ShellCommand, type ShellWord } from "@fairlead/kit";
import { nameCommand, type PolicyFinding, type Recognizer } from "./policy-finding.ts";
import { findOption, separateArguments, splitSubcommand } from "./separate-arguments.ts";
import { vettedPrograms } from "./vetted-programs.ts";

/** Subcommands that add, update or download code of others, by program. A dot is any subcommand. */
const additions: Readonly<Record<string, string>> = {
  npm: "install i in ins inst insta instal isnt isnta isntal isntall add update up upgrade udpate link ln init create innit install-test it dedupe ddp rebuild set-script",
  yarn: "add upgrade up upgrade-interactive dlx create link set policies import global plugin",
  pnpm: "add install-test update up upgrade dlx create link import patch self-update env setup",
  bun: "add install i update x create link upgrade",
  deno: "add install cache upgrade jupyter init",
  pip: "install download wheel",
  pip3: "install download wheel",
  pipx: ".",
  uvx: ".",
  uv: "add sync lock pip tool venv python init",
  poetry: "add update install lock self",
  pipenv: "install update sync lock",
  pdm: "add update install sync lock",
  rye: "add sync lock install",
  hatch: "dep env",
  conda: "install create update env",
  mamba: "install create update env",
  easy_install: ".",
  cargo: "add install update binstall generate-lockfile vendor fetch",
  go: "get install generate work",
  gem: "install update fetch",
  bundle: "add update install lock",
  composer: "require update install create-project global",
  dotnet: "add tool new workload",
  nuget: ".",
  "apt-get": ".",
  apt: ".",
  apk: ".",
  dnf: ".",
  yum: ".",
  zypper: ".",
  pacman: ".",
  brew: "install upgrade update reinstall tap bundle",
  snap: ".",
  flatpak: ".",
  port: ".",
  "nix-shell": ".",
  "nix-env": ".",
  nix: ".",
  rustup: ".",
  nvm: "install use",
  fnm: "install use",
  volta: "install pin",
  asdf: "install plugin",
  mise: "install use upgrade",
  sdk: "install",
  corepack: "use install enable prepare up",
  docker: "pull",
  podman: "pull",
  helm: "repo pull dependency install",
  mix: "deps.get deps.update archive.install local.hex",
  swift: "package",
  pod: "install update",
  luarocks: "install",
  cpan: ".",
  cpanm: ".",
  opam: "install update upgrade",
  stack: "install update",
  cabal: "install update",
  vcpkg: "install",
  conan: "install",
};

/** Subcommands of programs that take any other word for the name of a script. */
const builtins: Readonly<Record<string, string>> = {
  yarn: "config exec node cache login logout owner pack patch patch-commit rebase tag team unlink unplug autoclean generate-lock-entry init self stage constraints remove dedupe rebuild",
  pnpm: "config store cache login logout remove rm uninstall unlink rebuild prune deploy patch-commit patch-remove fetch server root dedupe approve-builds init",
};
/** Vetted subcommands of subcommands. */
const nestedCommands: Readonly<Record<string, string>> = {
  "docker compose": "ps build logs images version ls top",
  "podman compose": "ps build logs images version ls top",
  "docker buildx": "build ls inspect version du",
  "docker image": "ls inspect history",
  "podman image": "ls inspect history",
  "terraform providers": "schema",
  "swift package": "describe dump-package show-dependencies",
};
const mavenGoals =
  /^(?:clean|validate|compile|test|test-compile|package|verify|install|site|generate-sources|process-resources|dependency:(?:tree|analyze|list)|(?:spotless|checkstyle|pmd|formatter|enforcer|jacoco|surefire):[\w-]+)$/;
/** Installs what the lock file lists, or nothing else. */
/** Options of installations that take the next argument, which is then not a package. */
const installValued =
  "--mode --network-timeout --network-concurrency --cache-folder --modules-folder --store-dir --extra --group --python --jobs -j --pack-destination".split(
    " ",
  );
const lockedOptions = ["--frozen-lockfile", "--immutable", "--frozen", "--locked", "--production-only"];
const runnersOfScripts = new Set([
  "npm",
  "yarn",
  "pnpm",
  "bun",
  "make",
  "gmake",
  "just",
  "task",
  "rake",
  "deno",
  "turbo",
  "nx",
  "lage",
]);
/** Scripts and targets that publish, by their first word. */
const deployingNames =
  /^(?:pre|post)?(?:deploy|release|publish|ship|promote|rollout|rollback|prod|production|provision|migrate|gh-pages)(?:$|[^a-z])/i;
/** In `app:deploy`, the part of a workspace or a group is in front. `test:deploy` is a test. */
const deployingParts =
  /^(?!(?:test|lint|check|build|validate|verify|typecheck|clean|dry)\b)[^:]+:(?:.*:)?(?:deploy|publish)(?:$|[^a-z])/i;
const isDeploying = (name: string): boolean => deployingNames.test(name) || deployingParts.test(name);
const runsPrograms = new Set(["npx", "bunx", "pnpx"]);

/** Finds commands that add dependencies, and scripts that publish. */
export const recognizePackages: Recognizer = (command) => {
  const { program } = command;
  if (program === null) return [];
  const valued = new Set(vettedPrograms.get(program)?.valued?.split(" "));
  const all = separateArguments(command.args, valued).operands;
  // `yarn workspace NAME add x`
  const operands = program === "yarn" && all[0]?.value === "workspace" ? all.slice(2) : all;
  const [first, second] = operands.map(({ value }) => value);
  const subject = nameCommand({ program, args: operands });
  const findings: PolicyFinding[] = [];
  const find = (category: PolicyFinding["category"], because: string): void =>
    void findings.push({ category, subject, because });

  const subcommands = additions[program]?.split(" ") ?? [];
  const named = separateArguments(command.args, new Set([...valued, ...installValued])).operands.slice(1);
  // A package that is named is not one of the lock file.
  const isLocked = findOption(command.args, lockedOptions) !== null && named.length === 0;
  const adds = subcommands.includes(".") || (first !== undefined && first !== null && subcommands.includes(first));
  if (adds && !isLocked) find("deps_add", "adds or downloads code of others");
  const installsAll =
    (program === "yarn" && (first === undefined || first === "install")) ||
    (program === "pnpm" && (first === "install" || first === "i"));
  if (installsAll && !isLocked && findOption(command.args, ["--version", "-v", "--help", "-h"]) === null) {
    find("deps_add", "installs what the manifest lists, beyond the lock file");
  }
  if (program === "npm" && first === "pack" && named.some(({ value }) => !/^\.{0,2}(?:\/|$)/.test(value ?? "")))
    find("deps_add", "downloads code of others");
  if (program === "npm" && first === "audit" && second === "fix") find("deps_add", "updates dependencies");
  if (program === "npm" && first === "pkg" && second !== "get") {
    find("deps_add", "changes package.json");
    if (operands.some(({ value }) => value?.startsWith("scripts") === true))
      find("agent-config", "changes what scripts run");
  }
  if (Object.hasOwn(builtins, program) && builtins[program]?.split(" ").includes(first ?? "")) {
    find("unvetted", "is not a vetted subcommand");
  }
  if (first !== undefined && Object.hasOwn(nestedCommands, `${program} ${first}`)) {
    const vetted = nestedCommands[`${program} ${first}`]?.split(" ") ?? [];
    if (second !== undefined && !vetted.includes(second ?? ""))
      findings.push({
        category: "unvetted",
        subject: nameCommand({ program, args: operands }, 2),
        because: "is not a vetted subcommand",
      });
  }
  if (program === "go" && first === "run" && second?.includes("@") === true)
    find("deps_add", "downloads code of others");
  if (program === "rustc" && command.args.some(({ value }) => /linker|-Z/.test(value ?? "")))
    find("unvetted", "can run other programs");
  if (program === "go" && first === "mod" && !["verify", "graph", "why"].includes(second ?? ""))
    find("deps_add", "changes go.mod");
  if (program === "go" && first === "env" && findOption(command.args, ["-w", "-u"]) !== null)
    find("agent-config", "changes the configuration of go");
  if (program.startsWith("python") && findModule(command.args.map(leadingText)) === "pip") {
    find("deps_add", "installs code of others");
  }
  if (/^mvnw?$/.test(program) && !operands.every(({ value }) => mavenGoals.test(value ?? ""))) {
    find("unvetted", "runs goals that are not vetted");
  }
  if (program.startsWith("mvn") && operands.some(({ value }) => value?.startsWith("dependency:get") === true)) {
    find("deps_add", "downloads code of others");
  }
  findings.push(
    ...runnerProblems(
      program,
      operands.map(({ value }) => value),
      runnerOptions(program, command.args, valued),
    ).map((found) => ({ ...found, subject })),
  );
  if (/^g?make$/.test(program))
    findings.push(
      ...makeProblems(command.args).map((because): PolicyFinding => ({ category: "unvetted", subject, because })),
    );
  if (runnersOfScripts.has(program)) {
    const names = operands.map(({ value }) => value).filter((name) => name !== "run" && name !== "run-script");
    const targets = /^(?:g?make|turbo|lage)$/.test(program) ? names : names.slice(0, 1);
    if (targets.some((name) => isDeploying(name ?? ""))) find("deploy", "publishes, by its name");
    if (
      /^g?make$/.test(program) &&
      targets.includes("install") &&
      findOption(command.args, ["-n", "--dry-run"]) === null
    ) {
      find("destructive", "installs on this machine");
    }
  }
  return findings;
};

function findModule(words: readonly string[]): string | null {
  const at = words.indexOf("-m");
  return at === -1 ? null : (words[at + 1] ?? null);
}

/** Lists the words that may be options of the runner. After the name they are those of the tool, but `npm` reads all of them. */
function runnerOptions(program: string, args: readonly ShellWord[], valued: ReadonlySet<string>): string[] {
  const texts = args.map(leadingText);
  if (program === "npm") return texts.slice(0, texts.includes("--") ? texts.indexOf("--") : undefined);
  return splitSubcommand(runsPrograms.has(program) ? args : args.slice(1), valued).before.map(leadingText);
}

/** `npx NAME` runs a program of the project, or downloads it. Only names of vetted tools are taken for the former. */
function runnerProblems(
  program: string,
  operands: readonly (string | null)[],
  words: readonly string[],
): Pick<PolicyFinding, "category" | "because">[] {
  const runs =
    runsPrograms.has(program) ||
    (/^(?:npm|pnpm|yarn|bun)$/.test(program) && (operands[0] === "exec" || operands[0] === "x"));
  if (!runs) return [];
  const name = runsPrograms.has(program) ? operands[0] : operands[1];
  if (words.some((word) => /^(?:-c|--call(?:=.*)?|--shell-mode)$/.test(word)) || name?.includes(" ") === true) {
    return [{ category: "unvetted", because: "executes text" }];
  }
  const isForced = words.some((word) => /^(?:-y|--yes|-p|--package(?:=.*)?|--ignore-existing|--bun)$/.test(word));
  if (isForced) return [{ category: "deps_add", because: "downloads a program" }];
  if (name === null || name === undefined)
    return [{ category: "unvetted", because: "runs a program that is not named" }];
  return isRunnableTool(name)
    ? []
    : [{ category: "deps_add", because: `downloads and runs ${name}, unless the project has it` }];
}

/** Variables and files through which make runs something else than the project's makefile says. */
function makeProblems(args: readonly ShellWord[]): string[] {
  const assigned = args.flatMap((word) => {
    const [, name, value] = /^([.\w]+)[:+?]?=([\s\S]*)$/.exec(leadingText(word)) ?? [];
    return name === undefined ? [] : [{ name, value: word.value === null ? null : (value ?? "") }];
  });
  const harmful = assigned.find(({ name, value }) => name.startsWith(".") || variableRunsPrograms(name, value));
  const readsInput = args.some(
    (word, at) => /^(?:-f|--file|--makefile)$/.test(args[at - 1]?.value ?? "") && word.value === "-",
  );
  return [
    ...(harmful === undefined ? [] : [`${harmful.name} changes which programs run`]),
    ...(readsInput ? ["reads its rules from its input"] : []),
  ];
}

/** Interpreters and package managers run what follows, so their names say nothing. */
function isRunnableTool(name: string): boolean {
  return (
    vettedPrograms.get(name)?.isProjectTool === true &&
    !/^(?:node|nodejs|python.*|ruby|php|bash|sh|dash|java|npx|npm|yarn|pnpm|bunx?|deno|make)$/.test(name)
  );
}

/** Programs that run what follows, or a script of the project with that name; some only after a word. */
const commandRunners: ReadonlyMap<string, readonly string[]> = new Map([
  ["pnpm", ["run", "exec", ""]],
  ["bun", ["run"]],
  ["hatch", ["run"]],
  ["tox", ["exec"]],
  ["c8", [""]],
  ["nyc", [""]],
]);

/** Names that no project gives to a script. With others, as in `pnpm serve`, nothing is known of what runs. */
const runnablePrograms =
  /^(?:git|gh|glab|curl|wget|nc|ssh|scp|rsync|sudo|rm|npm|npx|yarn|bash|sh|node|python3?|docker|podman|kubectl|helm|terraform|aws|gcloud|pip3?|cargo|env|printenv|cat|cp|mv|tee|sed|awk)$/;

/** Returns the command that a runner of scripts would run, or null if it is not one of another program. */
export function commandInRunner(command: ShellCommand): ShellCommand | null {
  const { program, args } = command;
  const words = commandRunners.get(program ?? "");
  if (words === undefined) return null;
  const isName = ({ value }: (typeof args)[number]): boolean => value?.startsWith("-") !== true;
  let at = args.findIndex(isName);
  const first = args[at]?.value ?? "";
  if (at !== -1 && first !== "" && words.includes(first))
    at = args.findIndex((word, place) => place > at && isName(word));
  else if (!words.includes("")) return null;
  const name = args[at]?.value ?? "";
  return runnablePrograms.test(name) ? { ...command, program: name, path: name, args: args.slice(at + 1) } : null;
}
