import type { Health, SessionView } from "@fairlead/api";

/** How the service is, by the sessions in it. An agent that is silent, stuck or deaf has work that is not done. */
export function healthOf(
  sessions: readonly SessionView[],
  self: { readonly version: string; readonly startedAt: string },
): Health {
  const count = (...states: SessionView["state"][]): number =>
    sessions.filter(({ state }) => states.includes(state)).length;
  return {
    status: "ok",
    ...self,
    api: "fairlead/1",
    pid: process.pid,
    sessions: {
      working: count("working", "silent", "stuck", "input-closed"),
      waiting: count("waiting"),
      idle: count("idle"),
      paused: count("paused"),
      lost: count("lost"),
    },
  };
}
