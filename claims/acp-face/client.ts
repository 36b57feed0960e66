/** What a client of the protocol was shown in answer to a prompt. */
export interface Shown {
  readonly text: string;
  readonly stopReason: string;
  /** How often it was asked for permission. */
  readonly asked: number;
}

/** A program that speaks to agents as an editor does. */
export interface Client extends AsyncDisposable {
  prompt(text: string, permission: "allow" | "reject"): Promise<Shown>;
  /** Calls a prompt off once some of its answer was shown. */
  promptAndCancel(text: string): Promise<Shown>;
  /** Starts the agent anew and has the conversation taken up; gives the history that was shown, if it asks for that. */
  reopen(): Promise<string | null>;
}

export interface Scene {
  /** How the agent is started. */
  readonly command: readonly [string, ...string[]];
  readonly workspace: string;
  readonly environment: Readonly<Record<string, string>>;
}
