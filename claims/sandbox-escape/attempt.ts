import type { EscapeTarget } from "./escape-target.ts";

/** One thing that a hostile agent tries, with a check from outside whether it reached it. */
export interface Attempt {
  readonly name: string;
  /** Why the attempt cannot succeed without a sandbox either. Such an attempt runs in the sandbox only. */
  readonly noControl?: string;
  /** Why no sandbox with a writable workspace can prevent the attempt. It is counted apart, by its name. */
  readonly notPreventable?: string;
  /** Has a person approve the script as a command of an agent that also asks for another approval. */
  readonly isApprovedCommand?: true;
  /** Creates a workspace other than the usual one, for a hostile session of its own. Returns its folder. */
  createWorkspace?(target: EscapeTarget): string;
  /** Prepares what the attempt is after. */
  prepare?(target: EscapeTarget): void | Promise<void>;
  /** The shell script that the agent runs in its workspace. */
  script(target: EscapeTarget): string;
  /** Runs outside at the same time as the script. */
  during?(target: EscapeTarget): Promise<void>;
  /** Checks from outside, after the script. `output` is what the agent printed: it counts only if it contains a secret. */
  succeeded(target: EscapeTarget, output: string): boolean | Promise<boolean>;
  /** Undoes what a successful attempt changed, for the attempts after it. */
  restore?(target: EscapeTarget): void | Promise<void>;
}
