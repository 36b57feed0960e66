import { FairleadError } from "@fairlead/contract";

/** What a person can type in a terminal after a problem with a session. The service's sentence may name more. */
export function problemCommand(error: unknown, session: string): string {
  if (FairleadError.is(error, "session-not-found")) return "fairlead ls --all";
  if (FairleadError.is(error, "not-allowed")) return `fairlead open ${session}`;
  if (FairleadError.is(error, "unavailable")) return "fairlead status";
  return "fairlead doctor";
}
