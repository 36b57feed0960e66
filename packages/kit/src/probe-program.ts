import type { ProbeResult, ProbeHost } from "@fairlead/contract";
import { findFlags } from "./flags.ts";

/** How to probe a program. */
export interface ProgramProbe {
  /** The program's name, or the path that the user set. */
  readonly program: string;
  /** Arguments that print the version and the help. Default: `--version` and `--help`. */
  readonly versionArgs?: readonly string[];
  readonly helpArgs?: readonly string[];
  /** The problem to report if the program is not found. */
  readonly missingMessage: string;
  readonly auth: ProbeResult["auth"];
}

/** Finds a program and reads its version and flags. */
export async function probeProgram(host: ProbeHost, probe: ProgramProbe): Promise<ProbeResult> {
  const notInstalled: ProbeResult = {
    installed: false,
    program: null,
    version: null,
    flags: [],
    auth: probe.auth,
    problems: [probe.missingMessage],
  };
  const program = await host.find(probe.program);
  if (program === null) return notInstalled;
  const { versionArgs = ["--version"], helpArgs = ["--help"] } = probe;
  const [version, help] = await Promise.all([host.run(program, versionArgs), host.run(program, helpArgs)]);
  if (version.code !== 0) {
    const output = (version.stderr || version.stdout).trim().slice(0, 200);
    return {
      ...notInstalled,
      program,
      problems: [`${program} does not run: ${output || `exit code ${version.code}`}.`],
    };
  }
  return {
    installed: true,
    program,
    version: /\d{1,9}\.\d+[\w.+-]*/.exec(version.stdout)?.[0] ?? version.stdout.trim(),
    flags: findFlags(`${help.stdout}\n${help.stderr}`),
    auth: probe.auth,
    problems: [],
  };
}
