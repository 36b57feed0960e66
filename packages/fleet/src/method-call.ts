import { type CommandOptions, type MethodRouteName, type Route, routes } from "@fairlead/api";
import { errorCodes, FairleadError } from "@fairlead/contract";
import type { BusCall } from "@fairlead/engine";
import { z } from "zod";

/** The options of a command that a host must know. A signal and a function cannot be sent. */
export const SentOptions = z.strictObject({
  key: z.string().optional(),
  caller: z.strictObject({ id: z.string().nullable(), label: z.string() }).optional(),
  approvalsRequired: z.boolean().optional(),
});
export type SentOptions = z.infer<typeof SentOptions>;

const Params = z.strictObject({ args: z.array(z.unknown()), options: SentOptions.optional() });

/** A method of `Fairlead` with its arguments, as a gateway sends it to a host. */
export interface MethodCall {
  readonly method: MethodRouteName;
  readonly args: readonly unknown[];
  readonly options?: SentOptions | undefined;
}

/**
 * What a host answers. The bus says `unavailable` for a call that had no effect, and such a call is repeated. A command that
 * fails with that code on its host may have had one, so that it is a problem in a reply.
 */
export const CallReply = z.strictObject({
  value: z.unknown().optional(),
  problem: z.strictObject({ code: z.enum(errorCodes), message: z.string() }).optional(),
});
export type CallReply = z.infer<typeof CallReply>;

/** Returns the value of a reply, or throws its problem. */
export function readReply(reply: unknown): unknown {
  const parsed = CallReply.safeParse(reply);
  if (!parsed.success) {
    const message = "The host answered in a form that this version of the gateway cannot read. Upgrade both.";
    throw new FairleadError("indeterminate", message, { cause: parsed.error });
  }
  const { value, problem } = parsed.data;
  if (problem !== undefined) throw new FairleadError(problem.code, problem.message);
  return value;
}

/** Returns the options that can be sent to a host. */
export function toSentOptions({ key, caller, approvalsRequired }: CommandOptions): SentOptions {
  return {
    ...(key !== undefined && { key }),
    ...(caller && { caller: { ...caller } }),
    ...(approvalsRequired !== undefined && { approvalsRequired }),
  };
}

/** Returns the options of a command as its host passes them on. */
export function toCommandOptions({ key, caller, approvalsRequired }: SentOptions): CommandOptions {
  return {
    ...(key !== undefined && { key }),
    ...(caller && { caller }),
    ...(approvalsRequired !== undefined && { approvalsRequired }),
  };
}

/** Encodes a call for the bus. Arguments that are left out at the end stay left out: JSON would turn them into null. */
export function encodeCall({ method, args, options }: MethodCall): BusCall {
  const last = args.findLastIndex((argument) => argument !== undefined);
  return { method, params: { args: args.slice(0, last + 1), ...(options && { options }) } };
}

/** Decodes a call. Throws `invalid-request` for anything but a method with a route. */
export function decodeCall({ method, params }: BusCall): MethodCall {
  const parsed = Params.safeParse(params);
  if (isMethod(method) && parsed.success) return { method, ...parsed.data };
  throw new FairleadError("invalid-request", `The host has no method ${JSON.stringify(method)} with these parameters.`);
}

/** The index of the argument that names the session; -1 for a method without one. */
export function sessionArgumentOf(method: MethodRouteName): number {
  return (routes[method] as Route).args?.indexOf("session") ?? -1;
}

/** The index of the argument with the options of a command; -1 for a method without options. */
export function optionsArgumentOf(method: MethodRouteName): number {
  const { command, promptsAgent, args }: Route = routes[method];
  return command || promptsAgent ? (args?.length ?? 0) : -1;
}

function isMethod(method: string): method is MethodRouteName {
  return Object.hasOwn(routes, method) && (routes as Record<string, Route>)[method]?.args !== null;
}
