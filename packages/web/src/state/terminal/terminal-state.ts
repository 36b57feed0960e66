import type { TerminalSize } from "@fairlead/contract";

/** How a terminal of the page is connected with that of the agent. `lost`: it tries again. */
export type TerminalStatus =
  | { readonly type: "opening" }
  | { readonly type: "open" }
  | { readonly type: "lost"; readonly reason: string }
  | { readonly type: "handed-back" }
  | { readonly type: "ended" }
  | { readonly type: "refused"; readonly reason: string };

/** Keys that did not reach the agent's terminal. */
export interface LostInput {
  /** Was being sent when the connection failed, so it may have been typed. */
  readonly uncertain: string;
  /** Was certainly not typed. */
  readonly unsent: string;
}

export interface TerminalState {
  readonly status: TerminalStatus;
  /** How many characters the agent's terminal has not confirmed. */
  readonly pending: number;
  readonly lost: LostInput | null;
  /** The size of the agent's terminal, if it is known. */
  readonly size: TerminalSize | null;
}

export const initialTerminalState: TerminalState = { status: { type: "opening" }, pending: 0, lost: null, size: null };

export function addLostInput(state: TerminalState, added: Partial<LostInput>): TerminalState {
  const { uncertain = "", unsent = "" } = added;
  const before = state.lost ?? { uncertain: "", unsent: "" };
  return { ...state, lost: { uncertain: before.uncertain + uncertain, unsent: before.unsent + unsent } };
}

/** Whether the page may still reach the terminal without a further action of the person. */
export function isLive({ status: { type } }: TerminalState): boolean {
  return type === "opening" || type === "open" || type === "lost";
}
