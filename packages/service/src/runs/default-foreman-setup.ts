import { createBodies, openLocalWorkflows, prepareRun } from "@fairlead/foreman";
import type { Environment, Home } from "@fairlead/runtime";
import type { ForemanSetup } from "./foreman-host.ts";

/** Runs workflows in this process. A push has the credentials of its environment. */
export function defaultForemanSetup(home: Home, environment: Environment): ForemanSetup {
  return {
    createBodies: (parts) => createBodies({ ...parts, environment, now: Date.now }),
    openWorkflows: (bodies) => openLocalWorkflows({ file: home.workflowLogFile, bodies }),
    prepare: (run, request) => prepareRun({ home, environment }, run, request),
  };
}
