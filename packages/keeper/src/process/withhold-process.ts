import type { LaunchedProcess } from "./launched-process.ts";

/** Returns a process that was not started, because the agents of this keeper must have ended. It counts as killed. */
export function withholdProcess(): LaunchedProcess {
  return {
    ended: Promise.resolve({ code: null, signal: "SIGKILL" }),
    terminal: null,
    write: () => {},
    closeStdin: () => {},
    answerNetwork: () => {},
    signal: () => {},
    kill: async () => {},
    killAtOnce: async () => {},
    freeze: () => {},
    thaw: () => {},
  };
}
