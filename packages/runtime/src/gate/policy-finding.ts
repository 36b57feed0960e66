import type { PolicyCategory } from "@fairlead/contract";
import type { ShellCommand } from "@fairlead/kit";

/** Something in an action that a rule may be about. */
export interface PolicyFinding {
  /** `undecidable`: what the action does cannot be known before it runs. */
  readonly category: PolicyCategory | "undecidable";
  /** What it is about, as a person would name it: `git push`. */
  readonly subject: string;
  /** What it does: "updates a shared ref". */
  readonly because: string;
  /** Set if the program or its subcommand is not vetted, and nothing is known against how it is used. */
  readonly isUnknown?: true;
  /** The index of the command in which it was found. Missing if it is about the whole action. */
  readonly command?: number;
}

/** What the recognizers know besides the command. */
export interface GateContext {
  readonly workspace: string | undefined;
  readonly home: string | undefined;
  readonly agentFiles: readonly string[];
  /** Whether the text changes to a folder outside the workspace. */
  readonly leavesWorkspace: boolean;
  /** The folders in which a relative path may be, besides the workspace. */
  readonly folders: readonly string[];
}

/** Finds what one command does. */
export type Recognizer = (command: ShellCommand, context: GateContext) => PolicyFinding[];

/** Names a command by its first words. */
export function nameCommand({ program, args }: Pick<ShellCommand, "program" | "args">, words = 1): string {
  const shown = args.slice(0, words).map(({ text }) => (text.length > 40 ? `${text.slice(0, 40)}…` : text));
  return [program ?? "a command", ...shown].join(" ");
}
