import type { RunRequest } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { createBodies, findWorkspaceProblems, openLocalWorkflows, prepareRun } from "@fairlead/foreman";
import type { Environment, Home } from "@fairlead/runtime";
import type { ForemanSetup } from "./foreman-host.ts";

/** Runs workflows in this process. A push has the credentials of its environment. */
export function defaultForemanSetup(home: Home, environment: Environment): ForemanSetup {
  const findProblems = (request: RunRequest): Promise<string[]> =>
    findWorkspaceProblems({ home, environment }, request);
  return {
    createBodies: (parts) => createBodies({ ...parts, environment, now: Date.now }),
    openWorkflows: (bodies) => openLocalWorkflows({ file: home.workflowLogFile, bodies }),
    findProblems,
    prepare: async (run, request) => {
      const problems = await findProblems(request);
      if (problems.length > 0) throw new FairleadError("invalid-request", problems.join("\n"));
      return await prepareRun({ home, environment }, run, request);
    },
  };
}
