import type { Command } from "commander";

export const completionShells = ["bash", "zsh", "fish"] as const;
export type CompletionShell = (typeof completionShells)[number];

/** The words that a shell completes. Only static words: completion must not start a daemon. */
interface CompletionCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly { readonly flag: string; readonly summary: string }[];
}

/** Generates the completion script for a shell from the parser's commands, so that the two cannot differ. */
export function generateCompletion(shell: CompletionShell, program: Command): string {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    options: command.options.flatMap(({ long, description }) => (long ? [{ flag: long, summary: description }] : [])),
  }));
  return { bash, zsh, fish }[shell](commands);
}

function bash(commands: readonly CompletionCommand[]): string {
  const cases = commands.map(({ name, options }) => `    ${name}) words="${flagsOf(options)}" ;;`);
  return `_fairlead() {
  local words="" current="\${COMP_WORDS[COMP_CWORD]}"
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
  esac
  [ "$COMP_CWORD" -eq 1 ] && words="${commands.map(({ name }) => name).join(" ")}"
  [[ "$COMP_CWORD" -gt 1 && "$current" != -* ]] && words=""
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _fairlead fairlead`;
}

function zsh(commands: readonly CompletionCommand[]): string {
  const cases = commands.map(({ name, options }) => `    ${name}) compadd -- ${flagsOf(options)} ;;`);
  return `#compdef fairlead
_fairlead() {
  if (( CURRENT == 2 )); then
    local -a commands=(${commands.map(({ name, summary }) => quoteShellWord(`${name}:${summary}`)).join(" ")})
    _describe command commands
  elif [[ "$PREFIX" == -* ]]; then
    case "$words[2]" in
${cases.map((line) => `  ${line}`).join("\n")}
    esac
  else
    _files
  fi
}
compdef _fairlead fairlead`;
}

function fish(commands: readonly CompletionCommand[]): string {
  const first = commands.map(
    ({ name, summary }) => `complete -c fairlead -n __fish_use_subcommand -f -a ${name} -d ${quoteShellWord(summary)}`,
  );
  const more = commands.flatMap(({ name, options }) =>
    options.map(({ flag, summary }) => {
      const when = quoteShellWord(`__fish_seen_subcommand_from ${name}`);
      return `complete -c fairlead -n ${when} -l ${flag.slice(2)} -d ${quoteShellWord(summary)}`;
    }),
  );
  return [...first, ...more].join("\n");
}

function flagsOf(options: CompletionCommand["options"]): string {
  return options.map(({ flag }) => flag).join(" ");
}

/** Quotes a text as one shell word, whatever characters it contains. */
export function quoteShellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
