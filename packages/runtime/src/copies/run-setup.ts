import { FairleadError } from "@fairlead/contract";
import { loadWorkspaceConfig } from "../config/select-agent.ts";
import { workspaceFileName, type WorkspaceFileContent } from "../config/workspace-file.ts";
import { buildChildEnvironment, type Environment } from "../host/child-environment.ts";
import { runBounded } from "../review/run-bounded.ts";

export interface SetupOptions {
  /** The person's folder, whose file has the commands. */
  readonly workspace: string;
  readonly environment: Environment;
  readonly trustsFile: (file: WorkspaceFileContent) => boolean;
  readonly signal: AbortSignal;
}

/** Milliseconds that all commands together may take. */
const setupTimeout = 900_000;
const maxOutputBytes = 16 * 1024 * 1024;
const maxShownCharacters = 4000;

/**
 * Runs the `setup` commands of a trusted `fairlead.yaml` in an isolated copy, with the rights of the user. Returns what a
 * person should know. Throws the output of a command that fails.
 */
export async function runSetup(folder: string, options: SetupOptions): Promise<string[]> {
  const { workspace, environment, trustsFile } = options;
  const { config, content } = loadWorkspaceConfig(workspace);
  const { setup = [] } = config;
  if (setup.length === 0 || content === null) return [];
  if (!trustsFile(content)) {
    return [
      `${workspaceFileName} is not trusted, so its setup commands did not run. To run them, type: fairlead trust, and start another session.`,
    ];
  }
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(setupTimeout)]);
  const env = buildChildEnvironment(environment, [], {});
  for (const command of setup) {
    const failed = (reason: string, output = "", cause?: unknown): FairleadError =>
      new FairleadError("not-started", `The setup command failed: ${command}\n${reason}\n${output}`.trimEnd(), {
        cause,
      });
    // One stream, so that what the command prints stays in its order.
    const run = runBounded(["/bin/sh", "-c", `exec 2>&1\n${command}`], {
      cwd: folder,
      env,
      limit: maxOutputBytes,
      signal,
    });
    const { code, output, isTruncated } = await run.catch((error: unknown) => {
      throw failed(
        signal.aborted ? "It was stopped, because it took too long or Fairlead closes." : String(error),
        "",
        error,
      );
    });
    if (isTruncated) throw failed(`It printed more than ${maxOutputBytes} bytes.`);
    if (code !== 0) throw failed(`It ended with ${code ?? "a signal"}.`, output.toString().slice(-maxShownCharacters));
  }
  return [];
}
