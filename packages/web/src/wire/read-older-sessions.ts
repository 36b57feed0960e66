import type { Fairlead, SessionView } from "@fairlead/api";

/** A page of ended sessions that the overview leaves out. */
export interface OlderPage {
  readonly sessions: readonly SessionView[];
  readonly next: string | null;
}

const pageSize = 200;

/** Reads ended sessions, the newest activity first. */
export async function readOlderSessions(fairlead: Fairlead, cursor: string | null): Promise<OlderPage> {
  return await fairlead.sessions({ state: ["ended"], limit: pageSize, ...(cursor !== null && { cursor }) });
}
