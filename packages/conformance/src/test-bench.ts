import type { ErrorCategory, PermissionMode, Question, TokenCounts } from "@fairlead/contract";

/** An action that the model requests, independent of the agent's tools. Paths are relative to the workspace. */
export type BenchAction =
  | { readonly write: { readonly path: string; readonly content: string } }
  /** `unescalated`: the model does not ask for more rights than the agent gives a command. */
  | { readonly run: string; readonly unescalated?: true }
  /** Reads a file, by the agent's own tool if it has one. */
  | { readonly read: string }
  | { readonly ask: Question };

/** A change of an existing file by the agent's own tool for it. Paths are relative to the workspace. */
export type FileChangeAction =
  | { readonly edit: { readonly path: string; readonly before: string; readonly after: string } }
  | { readonly delete: string };

/** A use of the agent's own tool that changes nothing. Paths are relative to the workspace. */
export type ToolUse =
  | { readonly read: string }
  /** Looks for a text in a folder. */
  | { readonly search: { readonly text: string; readonly folder: string } }
  | { readonly fetch: string };

/** A tool as a model is told of it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its input. */
  readonly schema: unknown;
}

/** One response of the model. */
export interface ModelStep {
  readonly think?: string;
  readonly text?: string;
  /** How many times the text is repeated, for a text that is too long for a prompt. Only if the bench has `longTexts`. */
  readonly repeat?: number;
  /** Number of pieces that the text is streamed in. */
  readonly chunks?: number;
  /** Milliseconds between two pieces. */
  readonly chunkDelay?: number;
  /** Requested in one response; an agent with parallel tools runs them at the same time. */
  readonly actions?: readonly BenchAction[];
}

/** A way to make the agent fail, and the error category that the adapter must report. */
export interface FailureCase {
  readonly name: string;
  readonly category: ErrorCategory;
  readonly prompt: string;
  readonly settings?: object;
  /** Creates the failure condition. Disposing the result removes it. */
  readonly arrange?: () => Promise<AsyncDisposable>;
}

/** The usage that the model API reported for one response. */
export interface ServedUsage {
  readonly model: string;
  readonly tokens: Omit<TokenCounts, "reasoning">;
  /** Whether the request was not part of the conversation, such as one for a title. */
  readonly auxiliary?: boolean;
}

/**
 * The environment in which the judge runs one agent: its program, a scripted model and an empty home folder. The author
 * of an adapter implements this interface; the judge drives it.
 */
export interface TestBench extends AsyncDisposable {
  /** Environment variables for the runtime, which passes them to the agent. */
  readonly environment: Readonly<Record<string, string>>;
  /** URLs of the servers that stand in for the agent's service. A session with a network gate may reach them. */
  readonly services?: readonly string[];
  /** Settings for every session on this bench. */
  readonly settings?: object;
  /**
   * The permission mode of every session, unless the scenario sets one. Needed for agents that cannot ask for approval.
   */
  readonly mode?: PermissionMode;
  /** Returns the prompt that makes the agent perform these steps in the workspace, or null if there is none. */
  buildPrompt(steps: readonly ModelStep[], workspace: string): string | null;
  /** Whether `buildPrompt` supports `repeat`. */
  readonly longTexts?: true;
  /** Returns the prompt that makes the agent change an existing file, or null if the agent has no tool for it. */
  buildFileChangePrompt?(change: FileChangeAction, workspace: string): string | null;
  /** Returns the prompt that makes the agent use a tool that changes nothing, or null if the agent has no such tool. */
  buildToolUsePrompt?(use: ToolUse, workspace: string): string | null;
  /** Returns the prompt that makes the agent call a tool that it was offered. Needed for the capability `host-tools`. */
  buildOfferedToolPrompt?(tool: string, input: object): string;
  /** Returns the prompt that makes the agent call a tool of an MCP server. Needed for the capability `mcp-servers`. */
  buildServerToolPrompt?(server: string, tool: string, input: object): string;
  /** Returns the tools that the newest request of the conversation told the model of. Not for an agent without a model. */
  readOfferedTools?(): readonly ModelTool[];
  /**
   * Returns the prompt that makes the agent run a command without asking, in a sandbox of its own. Only for an agent that
   * has one.
   */
  buildSandboxedCommandPrompt?(command: string): string;
  /** Ways to make the agent fail. Each must end its turn within `turnTimeout`. */
  readonly failures: readonly FailureCase[];
  /**
   * Milliseconds within which a failing turn must end, without the start of a program that lives for the session. Also
   * raises the limit of every wait in a scenario.
   */
  readonly turnTimeout: number;
  /** Settings with which a call soon fails that the agent would ask a person in its own terminal about. */
  readonly shortWaits?: object;
  /** Settings that the adapter's schema must reject. */
  readonly badSettings: object;
  /** Whether the agent's own terminal runs tools. If it asks for approval, the Enter key must give it. */
  readonly terminalRunsTools?: boolean;
  /** Returns the whole input of the last model request. */
  readModelContext?(): Promise<string>;
  /** Returns the headers of every request that the model API has received. */
  readRequestHeaders?(): readonly object[];
  /** Returns the usage of every response that the model API has completed since the bench was opened. */
  readServedUsage?(): readonly ServedUsage[];
}

/** Opens a test bench that keeps all its files in the folder. */
export type OpenTestBench = (folder: string) => Promise<TestBench>;
