import type { Command } from "commander";
import { shellWord } from "./shell-word.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** What a shell completes: words alone, so that a key press starts no daemon. */
interface Completed {
  readonly name: string;
  readonly says: string;
  readonly options: readonly { readonly flag: string; readonly says: string }[];
}

/** The script by which a shell completes a program's commands. Made from the grammar, so that it cannot be behind it. */
export function completionFor(shell: Shell, program: Command): string {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    says: command.summary(),
    options: command.options.flatMap(({ long, description }) => (long ? [{ flag: long, says: description }] : [])),
  }));
  return { bash, zsh, fish }[shell](commands);
}

function bash(commands: readonly Completed[]): string {
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

function zsh(commands: readonly Completed[]): string {
  const cases = commands.map(({ name, options }) => `    ${name}) compadd -- ${flagsOf(options)} ;;`);
  return `#compdef fairlead
_fairlead() {
  if (( CURRENT == 2 )); then
    local -a commands=(${commands.map(({ name, says }) => shellWord(`${name}:${says}`)).join(" ")})
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

function fish(commands: readonly Completed[]): string {
  const first = commands.map(
    ({ name, says }) => `complete -c fairlead -n __fish_use_subcommand -f -a ${name} -d ${shellWord(says)}`,
  );
  const more = commands.flatMap(({ name, options }) =>
    options.map(({ flag, says }) => {
      const when = shellWord(`__fish_seen_subcommand_from ${name}`);
      return `complete -c fairlead -n ${when} -l ${flag.slice(2)} -d ${shellWord(says)}`;
    }),
  );
  return [...first, ...more].join("\n");
}

function flagsOf(options: Completed["options"]): string {
  return options.map(({ flag }) => flag).join(" ");
}
