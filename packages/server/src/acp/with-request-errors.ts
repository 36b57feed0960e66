import { RequestError } from "@agentclientprotocol/sdk";
import { FairleadError, type ErrorCode } from "@fairlead/contract";

const invalidParamsCodes: readonly ErrorCode[] = [
  "invalid-request",
  "invalid-settings",
  "unknown-agent",
  "not-supported",
];

/** Runs an action and converts its `FairleadError` to a JSON-RPC error with a message for the user. */
export async function withRequestErrors<Result>(
  session: string | null,
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    if (!FairleadError.isInstance(error)) throw error;
    const { code, message } = error;
    if (code === "session-not-found" && session !== null) throw RequestError.sessionNotFound(session);
    throw new RequestError(invalidParamsCodes.includes(code) ? -32602 : -32603, message, { code });
  }
}
