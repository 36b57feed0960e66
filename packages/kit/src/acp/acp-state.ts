import { emptyKeyedMap, type KeyedMap, type LaunchCommand, type McpServer, type ToolOffer } from "@fairlead/contract";
import { noCalls } from "../calls.ts";
import { initialRpc, rpc, type RpcState, type RpcId } from "../json-rpc.ts";
import { jsonLine } from "../json-line.ts";
import type { Meters } from "../meter.ts";
import type { PartialText } from "../partial-text.ts";
import type { TransitionWriter } from "../transition-writer.ts";
import { initialConversation } from "../conversation-state.ts";
import type { WatchdogState } from "../watchdog.ts";
import type { AcpQuirks } from "./acp-quirks.ts";

/** A file that a call changes. */
export interface AcpFileChange {
  readonly path: string;
  readonly change: "created" | "modified" | "deleted";
}

/** The known fields of a call. Agents report them in several updates. */
export interface AcpCallState {
  readonly name: string;
  readonly title: string;
  readonly kind: string;
  readonly input: unknown;
  readonly output: string;
  readonly changes: readonly AcpFileChange[];
  /** Whether `input` is what the agent reported. Missing in states of older versions. */
  readonly hasRawInput?: boolean;
  /** The paths of its locations. Missing in states of older versions. */
  readonly paths?: readonly string[];
}

/** State of the ACP dialect. */
export interface AcpState extends WatchdogState {
  readonly rpc: RpcState;
  readonly meters: Meters;
  /** The session id to send to this process. It differs from `agentSessionId` if the agent needs a prefix. */
  readonly wireSessionId: string;
  /** Host of the agent's model, as far as it is known. */
  readonly provider: string;
  /** `settling`: the agent still replays the conversation that it loaded. */
  readonly phase: "starting" | "settling" | "ready";
  /** The text or reasoning that the agent is streaming. */
  readonly partialMessage:
    | (PartialText & {
        readonly kind: "text" | "reasoning";
        readonly message: string | null;
      })
    | null;
  /** The calls of this turn; null for a call that has ended. */
  readonly callStates: KeyedMap<AcpCallState | null>;
  /** Open decisions: the request to answer, its call, and its option ids by kind. */
  readonly pendingDecisions: KeyedMap<{
    readonly id: RpcId;
    readonly call: string;
    readonly options: OptionIdsByKind;
  }>;
  /** The open decisions by the ids of their requests. */
  readonly decisionsByRequest?: KeyedMap<string>;
  readonly decisionCount: number;
  /** HTTP status of the model's failure, if the side channel reported it. */
  readonly failureStatus: number | null;
  /** The agent's running cost total: at the last usage report, and now; null if unknown. */
  readonly cost: { readonly before: number | null; readonly now: number | null };
  /** Last lines of standard error. Reported if the agent dies. */
  readonly stderrTail: readonly string[];
  /** Whether the agent was asked to exit. */
  readonly exitRequested: boolean;
}

type OptionIdsByKind = Readonly<Record<string, string>>;

export const initialAcpState: AcpState = {
  ...initialConversation,
  rpc: initialRpc,
  calls: noCalls,
  meters: {},
  wireSessionId: "",
  provider: "unknown",
  phase: "starting",
  partialMessage: null,
  callStates: emptyKeyedMap,
  pendingDecisions: emptyKeyedMap,
  decisionsByRequest: emptyKeyedMap,
  decisionCount: 0,
  activeSinceAlarm: false,
  failure: null,
  failureStatus: null,
  cost: { before: 0, now: null },
  stderrTail: [],
  exitRequested: false,
};

/** How the dialect talks to one agent. */
export interface AcpDialectOptions {
  launch(): LaunchCommand;
  readonly workspace: string;
  /** The conversation to resume when the session opens. */
  readonly resumeSessionId: string | null;
  /** Id of the protocol's authentication method to use if the agent requires authentication. */
  readonly authMethod: string | null;
  /** The agent's own name of the mode to set. */
  readonly mode: string | null;
  /** Configuration options of the protocol to set, by id. */
  readonly options: Readonly<Record<string, string>>;
  /** Whether the agent may still ask for approval of a call in progress. If not, such a call has started. */
  readonly asksWhileInProgress: boolean;
  /** How long the model may fail or be silent, in milliseconds. */
  readonly retryDeadline: number;
  /** The tools that an agent with the extension for them is offered. */
  readonly tools?: readonly ToolOffer[];
  /** The MCP servers that the agent starts. */
  readonly mcpServers?: readonly McpServer[];
  /** Warnings to report when the session opens. */
  readonly startupWarnings: readonly string[];
  readonly quirks: AcpQuirks;
}

export type AcpWriter = TransitionWriter<AcpState>;

const envelope = { jsonrpc: "2.0" };

/** Sends a request. With `resolves`, its parameters contain references to secrets. */
export function sendAcpRequest(
  writer: AcpWriter,
  method: string,
  params: unknown,
  { about = "", resolves = false } = {},
): void {
  const outgoing = rpc.request(writer.state.rpc, method, params, { envelope, about });
  writer.set({ rpc: outgoing.rpc });
  writer.effect({ type: "write", text: outgoing.text, ...(resolves && { resolves }) });
}

export function sendAcpNotification(writer: AcpWriter, method: string, params: unknown): void {
  writer.effect({ type: "write", text: jsonLine({ ...envelope, method, params }) });
}

export function sendAcpResponse(writer: AcpWriter, id: RpcId, result: unknown): void {
  writer.effect({ type: "write", text: jsonLine({ ...envelope, id, result }) });
}

/** Rejects a request that the client does not support. The message must not change: recordings contain it. */
export function rejectAcpRequest(writer: AcpWriter, id: RpcId, method: string): void {
  const error = { code: -32601, message: `This client does not do ${method}.` };
  writer.effect({ type: "write", text: jsonLine({ ...envelope, id, error }) });
}

/** Whether the agent is processing a prompt. */
export function isPrompting(state: AcpState): boolean {
  return Object.values(state.rpc.pending).some(({ method }) => method === "session/prompt");
}
