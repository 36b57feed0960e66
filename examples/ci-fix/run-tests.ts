import { spawnSync } from "node:child_process";

export interface Tests {
  readonly passed: boolean;
  readonly output: string;
}

/** Runs the tests of a folder, by our own hand: that they pass is not for the agent to say. */
export function runTests(folder: string): Tests {
  // Inside a test of ours, Node would take these for tests of that one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ["--test"], { cwd: folder, encoding: "utf8", env });
  return { passed: status === 0, output: stdout };
}
