import type { ErrorCategory, PermissionMode, Question, Tokens } from "@fairlead/contract";

/** Something that the model asks the agent to do, without saying by which tool. Paths are within the workspace. */
export type Act =
  | { readonly write: { readonly path: string; readonly content: string } }
  | { readonly run: string }
  | { readonly ask: Question };

/** One answer of the model. */
export interface ModelStep {
  readonly think?: string;
  readonly text?: string;
  /** In how many pieces the text comes, and how many milliseconds lie between them. */
  readonly chunks?: number;
  readonly chunkDelay?: number;
  /** Done at the same time, where the agent can. */
  readonly acts?: readonly Act[];
}

/** A way to make the agent fail, and what that must be called. */
export interface Failure {
  readonly name: string;
  readonly category: ErrorCategory;
  readonly prompt: string;
  readonly settings?: object;
  /** Makes the world such that it will fail, and puts it right again. */
  readonly arrange?: () => Promise<AsyncDisposable>;
}

/** What the model was paid for in one answer. */
export interface Served {
  readonly model: string;
  readonly tokens: Omit<Tokens, "reasoning">;
}

/**
 * A place where one agent can be put into any situation: its program, its model played by a script, its own home.
 * The author of an adapter writes one; the judge does the rest.
 */
export interface Stage extends AsyncDisposable {
  /** The environment in which the runtime, and so the agent, is to run. */
  readonly environment: Readonly<Record<string, string>>;
  /** Settings that every session here needs. */
  readonly settings?: object;
  /** The mode of every session here, unless the situation says otherwise: one in which it acts, if it cannot ask. */
  readonly mode?: PermissionMode;
  /** The message upon which the agent will go through these steps in that workspace; null if it cannot be made to. */
  prompt(steps: readonly ModelStep[], workspace: string): string | null;
  /** Ways in which it can be made to fail; each must end its turn within `patience` milliseconds. */
  readonly failures: readonly Failure[];
  readonly patience: number;
  /** Settings that the schema must refuse. */
  readonly badSettings: object;
  /** Everything that the model was shown when it was last asked. */
  context?(): Promise<string>;
  /** What has been served since the stage was opened, in answers that the agent got whole. */
  served?(): readonly Served[];
}

/** Opens a stage whose files all lie in the folder. */
export type OpenStage = (folder: string) => Promise<Stage>;
