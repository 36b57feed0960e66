import { RequestError } from "@agentclientprotocol/sdk";
import { FairleadError, type ErrorCode } from "@fairlead/contract";

const badRequests: readonly ErrorCode[] = ["invalid-request", "invalid-settings", "unknown-agent", "not-supported"];

/** Carries something out; what goes wrong is told to the editor in words that a person can use. */
export async function orRefuse<Result>(session: string | null, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!FairleadError.isInstance(error)) throw error;
    const { code, message } = error;
    if (code === "session-not-found" && session !== null) throw RequestError.sessionNotFound(session);
    throw new RequestError(badRequests.includes(code) ? -32602 : -32603, message, { code });
  }
}
