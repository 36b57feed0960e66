import { omitKey, ownValue } from "@fairlead/contract";
import { z } from "zod";
import { jsonLine, parseJsonLine } from "./json-line.ts";

const Id = z.union([z.string(), z.int()]);
export type RpcId = z.infer<typeof Id>;

const Failure = z.looseObject({
  code: z.number().default(0),
  message: z.string().default(""),
  data: z.unknown().optional(),
});
const Envelope = z.looseObject({
  id: Id.nullish(),
  method: z.string().optional(),
  params: z.unknown().optional(),
  result: z.unknown().optional(),
  error: Failure.optional(),
});

/** The unanswered requests of a client by id, each with its method and the caller's tag (`about`). */
export interface RpcState {
  readonly lastId: number;
  readonly pending: Readonly<Record<string, { readonly method: string; readonly about: string }>>;
}

/** A state without requests. */
export const initialRpc: RpcState = { lastId: 0, pending: {} };

/** Error object of a failed request. */
export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A parsed message of the other side. A result or failure includes the method and tag of its request. */
export type RpcMessage =
  | { readonly kind: "request"; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: "notice"; readonly method: string; readonly params: unknown }
  | { readonly kind: "result"; readonly method: string; readonly about: string; readonly result: unknown }
  | { readonly kind: "failure"; readonly method: string; readonly about: string; readonly error: RpcFailure };

/**
 * JSON-RPC over lines, as pure functions: numbers the requests and matches each response to its request. Some agents
 * omit the member `jsonrpc` and reject it, so the dialect decides with `envelope` whether to send it.
 */
export const rpc = {
  /** Returns the line of a new request, and the state with the request pending. */
  request(
    state: RpcState,
    method: string,
    params: unknown,
    { about = "", envelope = {} }: { readonly about?: string; readonly envelope?: object } = {},
  ): { readonly rpc: RpcState; readonly text: string } {
    const id = state.lastId + 1;
    const pending = { ...state.pending, [id]: { method, about } };
    return { rpc: { lastId: id, pending }, text: jsonLine({ ...envelope, id, method, params }) };
  },

  /** Parses a line. The message is null if the line is not JSON-RPC or answers no pending request. */
  receive(state: RpcState, line: string): { readonly rpc: RpcState; readonly message: RpcMessage | null } {
    const parsed = Envelope.safeParse(parseJsonLine(line));
    if (!parsed.success) return { rpc: state, message: null };
    const { id, method, params, result, error } = parsed.data;
    if (method !== undefined) {
      return {
        rpc: state,
        message: id == null ? { kind: "notice", method, params } : { kind: "request", id, method, params },
      };
    }
    const request = ownValue(state.pending, String(id));
    if (id == null || request === undefined) return { rpc: state, message: null };
    const message: RpcMessage =
      error === undefined ? { kind: "result", ...request, result } : { kind: "failure", ...request, error };
    return { rpc: { ...state, pending: omitKey(state.pending, String(id)) }, message };
  },
};
