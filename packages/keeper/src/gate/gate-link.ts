import type { AdmissionOptions } from "./admission.ts";
import type { Target } from "./judge-host.ts";

export interface GateLinkOptions extends AdmissionOptions {
  /** The environment of the agent, which gets the variables that lead to the gate. */
  readonly env: Readonly<Record<string, string>>;
  /** The key that the gate inserts in requests to the agent's service. */
  readonly credential?: string | undefined;
}

/** The keeper's side of the gate of one process. Disposing closes the gate and all its connections. */
export interface GateLink extends Disposable {
  /** Whether bubblewrap starts the agent itself, or the agent has replaced what it started. */
  readonly isAgentNext: boolean;
  /** Settles when bubblewrap may start its program: never before that, because the gate would be missing. False if it cannot. */
  readonly opened: Promise<boolean>;
  answer(target: Target, isAllowed: boolean): void;
  /** Call it when no process of the launch is left. */
  release(): void;
}
