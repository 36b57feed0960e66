import { createBodies, openLocalWorkflows } from "@fairlead/foreman";
import { type Environment, type Home, RunRepository } from "@fairlead/runtime";
import type { ForemanSetup } from "./foreman-host.ts";

/** Runs workflows in this process. A push has the credentials of its environment. */
export function defaultForemanSetup(home: Home, environment: Environment): ForemanSetup {
  return {
    createBodies: (parts) => createBodies({ ...parts, environment, now: Date.now }),
    openWorkflows: (bodies) => openLocalWorkflows({ file: home.workflowLogFile, bodies }),
    prepare: async (run, { workspace }) => await new RunRepository(home, run).create(workspace),
  };
}
