import type { ErrorCategory, LaunchLine } from "@fairlead/contract";
import type { Calls } from "../calls.ts";
import { quietRpc, rpc, type Rpc, type RpcId } from "../json-rpc.ts";
import { jsonLine } from "../json-line.ts";
import type { Meters } from "../meter.ts";
import type { StepWriter } from "../step-writer.ts";
import { quietTalk, type Talk } from "../talk.ts";
import type { AcpQuirks } from "./quirks.ts";

/** A file that a call would change, or has changed. */
export interface Change {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted";
}

/** What has been told of a call so far; agents tell it bit by bit. */
export interface ToldCall {
  readonly name: string;
  readonly title: string;
  readonly kind: string;
  readonly input: unknown;
  readonly output: string;
  readonly changes: readonly Change[];
}

export interface AcpState extends Talk {
  readonly rpc: Rpc;
  readonly calls: Calls;
  readonly meters: Meters;
  /** The conversation as this process has to be addressed about it. */
  readonly address: string;
  /** Who serves its model, as far as is known. */
  readonly provider: string;
  /** `settling`: what it says still belongs to the conversation that was loaded. */
  readonly phase: "starting" | "settling" | "ready";
  /** What it is saying just now. */
  readonly speech: {
    readonly kind: "text" | "reasoning";
    readonly message: string | null;
    readonly text: string;
  } | null;
  /** The calls of this turn; null once a call is over. */
  readonly told: Readonly<Record<string, ToldCall | null>>;
  /** Open decisions: the request to be answered, the call that it is about, and its options by their kinds. */
  readonly asks: Readonly<Record<string, { readonly id: RpcId; readonly call: string; readonly options: Options }>>;
  readonly asked: number;
  /** Whether anything was heard since the alarm was set. */
  readonly heard: boolean;
  /** What is wrong with its model while it keeps trying. */
  readonly trouble: { readonly category: ErrorCategory; readonly says: string } | null;
  /** The number of its model's failure, where it was let slip. */
  readonly status: number | null;
  /** We have lost patience with this turn. */
  readonly overdue: boolean;
  /** The agent's running total of money: as it stood when a turn was last told of, and as it stands; null if unknown. */
  readonly cost: { readonly before: number | null; readonly now: number | null };
  /** The last lines on its standard error: told if it dies. */
  readonly lastWords: readonly string[];
  /** It was asked to leave. */
  readonly leaving: boolean;
}

type Options = Readonly<Record<string, string>>;

export const quietAcp: AcpState = {
  ...quietTalk,
  rpc: quietRpc,
  calls: {},
  meters: {},
  address: "",
  provider: "unknown",
  phase: "starting",
  speech: null,
  told: {},
  asks: {},
  asked: 0,
  heard: false,
  trouble: null,
  status: null,
  overdue: false,
  cost: { before: 0, now: null },
  lastWords: [],
  leaving: false,
};

/** How one agent is spoken to. */
export interface AcpManner {
  launch(): LaunchLine;
  readonly workspace: string;
  readonly continues: string | null;
  readonly authMethod: string | null;
  /** The mode to be put into, by the agent's own name for it. */
  readonly mode: string | null;
  /** Configuration options of the protocol to be set, by their ids. */
  readonly options: Readonly<Record<string, string>>;
  /** Whether a call that it says to be in progress may still be asked about; if not, it has started. */
  readonly asksInProgress: boolean;
  readonly retryDeadline: number;
  readonly notices: readonly string[];
  readonly quirks: AcpQuirks;
}

export type Writer = StepWriter<AcpState>;

const head = { jsonrpc: "2.0" };

export function request(writer: Writer, method: string, params: unknown, about = ""): void {
  const asked = rpc.ask(writer.state.rpc, method, params, { head, about });
  writer.set({ rpc: asked.rpc }).effect({ type: "say", text: asked.text });
}

export function notify(writer: Writer, method: string, params: unknown): void {
  writer.effect({ type: "say", text: jsonLine({ ...head, method, params }) });
}

export function respond(writer: Writer, id: RpcId, result: unknown): void {
  writer.effect({ type: "say", text: jsonLine({ ...head, id, result }) });
}

export function refuse(writer: Writer, id: RpcId, method: string): void {
  const error = { code: -32601, message: `This client does not do ${method}.` };
  writer.effect({ type: "say", text: jsonLine({ ...head, id, error }) });
}

/** Whether the agent is at work on a prompt. */
export function isPrompting(state: AcpState): boolean {
  return Object.values(state.rpc.open).some(({ method }) => method === "session/prompt");
}
