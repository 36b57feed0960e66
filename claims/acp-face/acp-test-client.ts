/** What a client received in response to a prompt. */
export interface PromptResult {
  readonly text: string;
  readonly stopReason: string;
  /** The number of permission requests. */
  readonly permissionRequests: number;
}

/** A program that talks to agents as an editor does. */
export interface AcpTestClient extends AsyncDisposable {
  prompt(text: string, permission: "allow" | "reject"): Promise<PromptResult>;
  /** Cancels a prompt after the first part of its answer. */
  promptAndCancel(text: string): Promise<PromptResult>;
  /** Starts the agent again and resumes the conversation. Returns the history if the client requests it. */
  reopen(): Promise<string | null>;
}

export interface ClientSetup {
  /** The command that starts the agent. */
  readonly command: readonly [string, ...string[]];
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string>>;
}
