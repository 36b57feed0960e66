/** A part of a word: exact text, the value of a variable, or something that only the shell knows when it runs. */
export type ShellWordPart =
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "glob"; readonly value: string }
  | { readonly kind: "unknown" };

/** An argument as far as it can be read. */
export interface ShellWord {
  /** The word as written. */
  readonly text: string;
  /** The exact argument, or null if the shell computes a part of it. */
  readonly value: string | null;
  readonly parts: readonly ShellWordPart[];
}

export interface ShellAssignment {
  readonly name: string;
  readonly value: ShellWord;
}

/** A file that the shell opens for a command. */
export interface ShellRedirect {
  readonly direction: "read" | "write" | "append";
  readonly path: ShellWord;
}

/** Where a command's input comes from. `text`: a here-document or here-string. */
export type ShellInput = "inherited" | "pipe" | "file" | "text";

/** A simple command that a shell text can execute. */
export interface ShellCommand {
  /** The program's name without folders. Null if the command only assigns or redirects, or if the name is computed. */
  readonly program: string | null;
  /** The program as written, with folders. */
  readonly path: string | null;
  /** Set if a function that the same text defines is called, and no program. */
  readonly isFunction: boolean;
  /** Set if it stands for the redirections of a group of commands, such as `{ a; b; } > file`. */
  readonly isGroup: boolean;
  readonly args: readonly ShellWord[];
  readonly assignments: readonly ShellAssignment[];
  readonly redirects: readonly ShellRedirect[];
  readonly input: ShellInput;
  /** The texts of its here-documents and here-strings. */
  readonly inputWords: readonly ShellWord[];
  /** The programs that run this command, outermost first: `sudo env npm test` is `npm` by `sudo`, `env`. */
  readonly wrappers: readonly string[];
}

/**
 * Why a reading may be incomplete. `syntax`: it cannot be parsed. `dynamic-program`: the name of a program is computed.
 * `dynamic-code`: text that the shell computes is executed. `piped-code`: a shell executes its input. `shadowed`: a name may
 * no longer mean the program. `environment`: a variable makes programs run others. `other-shell`: another shell would read
 * it differently. `hidden-characters`: a person does not see what is written. `wrapper`: what a program runs is not clear.
 * `too-long`: it was not read.
 */
export type ShellDoubtKind =
  | "syntax"
  | "dynamic-program"
  | "dynamic-code"
  | "piped-code"
  | "shadowed"
  | "environment"
  | "other-shell"
  | "hidden-characters"
  | "wrapper"
  | "too-long";

export interface ShellDoubt {
  readonly kind: ShellDoubtKind;
  /** A sentence without a full stop. */
  readonly reason: string;
}

/** What a shell text would execute, and what could not be read. Without doubts the list of commands is complete. */
export interface ShellReading {
  readonly commands: readonly ShellCommand[];
  readonly doubts: readonly ShellDoubt[];
}
