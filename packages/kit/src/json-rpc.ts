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

/** Requests of ours that have not been answered, by their ids: what was asked, and whatever it was about. */
export interface Rpc {
  readonly asked: number;
  readonly open: Readonly<Record<string, { readonly method: string; readonly about: string }>>;
}

export const quietRpc: Rpc = { asked: 0, open: {} };

export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What a line of the other side means to us. */
export type RpcHeard =
  | { readonly kind: "request"; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: "notice"; readonly method: string; readonly params: unknown }
  | { readonly kind: "result"; readonly method: string; readonly about: string; readonly result: unknown }
  | { readonly kind: "failure"; readonly method: string; readonly about: string; readonly error: RpcFailure };

/**
 * JSON-RPC over lines, without input or output: it numbers our requests and finds to each answer what was asked. Some
 * agents leave the member `jsonrpc` out and want it left out; so it is the dialect's choice to send it.
 */
export const rpc = {
  /** A line that asks, and the memory of having asked. */
  ask(
    before: Rpc,
    method: string,
    params: unknown,
    { about = "", head = {} }: { readonly about?: string; readonly head?: object } = {},
  ): { readonly rpc: Rpc; readonly text: string } {
    const id = before.asked + 1;
    const open = { ...before.open, [id]: { method, about } };
    return { rpc: { asked: id, open }, text: jsonLine({ ...head, id, method, params }) };
  },

  /** What a line means; null when it is no JSON-RPC, or answers nothing that was asked. */
  hear(before: Rpc, line: string): { readonly rpc: Rpc; readonly heard: RpcHeard | null } {
    const parsed = Envelope.safeParse(parseJsonLine(line));
    if (!parsed.success) return { rpc: before, heard: null };
    const { id, method, params, result, error } = parsed.data;
    if (method !== undefined) {
      return {
        rpc: before,
        heard: id == null ? { kind: "notice", method, params } : { kind: "request", id, method, params },
      };
    }
    const { [String(id)]: asked, ...open } = before.open;
    if (id == null || asked === undefined) return { rpc: before, heard: null };
    const heard: RpcHeard =
      error === undefined ? { kind: "result", ...asked, result } : { kind: "failure", ...asked, error };
    return { rpc: { ...before, open }, heard };
  },
};
