import { findSandboxProblem } from "@fairlead/keeper";

/** Returns a function that tries whether this machine can have a sandbox, and returns the problem, or null if it can. */
export function createSandboxTrial(): () => Promise<string | null> {
  let isProven = false;
  // Only success is remembered: a busy machine can make one trial fail, and later sessions must not lack a sandbox.
  return async () => {
    const problem = isProven ? null : await findSandboxProblem();
    isProven ||= problem === null;
    return problem;
  };
}
