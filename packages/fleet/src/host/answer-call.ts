import { type Route, routes } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import type { BusCall, Hosts } from "@fairlead/engine";
import type { EventLog } from "@fairlead/journal";
import type { LocalFairlead } from "@fairlead/service";
import { decodeCall, optionsArgumentOf, sessionArgumentOf, toCommandOptions, type CallReply } from "../method-call.ts";

export interface AnswerCallOptions {
  readonly fairlead: LocalFairlead;
  readonly log: Pick<EventLog, "tail">;
  readonly hosts: Pick<Hosts, "isElsewhere">;
  /** Whether a session has left this host, and no other one has it yet. */
  readonly isAway: (session: string) => boolean;
}

/** The methods without a session that a host answers. The others are answered from the index of the fleet. */
const hostMethods: ReadonlySet<string> = new Set(["agents", "health"]);

/**
 * Executes a call from the bus on this host. Throws `unavailable` only if the gateway may repeat it on another host: for a session
 * that another host has, because its files are not here, and a command would end it as damaged. Such a call had no effect, or its
 * key prevents a second one.
 */
export async function answerCall(
  { fairlead, log, hosts, isAway }: AnswerCallOptions,
  call: BusCall,
): Promise<CallReply> {
  const { method, args, options } = decodeCall(call);
  const session = method === "usage" ? args[0] : args[sessionArgumentOf(method)];
  const hasLeft = async (id: string): Promise<boolean> => isAway(id) || (await isElsewhere(log, hosts, id));
  if (typeof session === "string") {
    if (await hasLeft(session)) throw onAnotherHost(session);
  } else if (!hostMethods.has(method)) {
    throw new FairleadError("not-supported", `A host does not answer ${method}.`);
  }
  const values = [...args];
  const optionsIndex = optionsArgumentOf(method);
  if (optionsIndex >= 0) values[optionsIndex] = toCommandOptions(options ?? {});
  try {
    const value = await (fairlead[method] as (...values: readonly unknown[]) => Promise<unknown>).apply(
      fairlead,
      values,
    );
    // The caller may list sessions next, at any gateway.
    if ((routes[method] as Route).command) await fairlead.flushIndex();
    return { value };
  } catch (error) {
    if (FairleadError.is(error, "fenced")) throw movedMeanwhile(session, error);
    if (!FairleadError.isInstance(error) || error.code !== "unavailable") throw error;
    // It waited on this host until the session left.
    const { command, retriable } = routes[method] as Route;
    const isRepeatable = retriable && (!command || options?.key !== undefined);
    if (isRepeatable && typeof session === "string" && (await hasLeft(session))) throw onAnotherHost(session, error);
    return { problem: { code: error.code, message: error.message } };
  }
}

function onAnotherHost(session: string, cause?: FairleadError): FairleadError {
  return new FairleadError("unavailable", `Session ${session} is on another host now. Try again.`, { cause });
}

/** The host that has the session now knows whether the log has the command, by its key. */
function movedMeanwhile(session: unknown, cause: FairleadError): FairleadError {
  const message = `Session ${String(session)} moved to another host during the command. Repeat it with the same key.`;
  return new FairleadError("indeterminate", message, { cause });
}

/** Whether another host has a session. The owner of a damaged one is unknown: the gateway took this host from its row. */
async function isElsewhere(
  log: AnswerCallOptions["log"],
  hosts: AnswerCallOptions["hosts"],
  session: string,
): Promise<boolean> {
  try {
    return hosts.isElsewhere((await log.tail(session)).owner);
  } catch (error) {
    if (FairleadError.is(error, "corrupt")) return false;
    throw error;
  }
}
