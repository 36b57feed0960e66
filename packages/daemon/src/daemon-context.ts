import type { Home } from "@fairlead/runtime/home";

/** The inputs for finding, starting or running a daemon. */
export interface DaemonContext {
  readonly home: Home;
  readonly environment: NodeJS.ProcessEnv;
}
