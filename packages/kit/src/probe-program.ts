import type { Finding, ProbeHost } from "@fairlead/contract";
import { flagsIn } from "./flags.ts";

export interface ProbeLine {
  /** The name to look for, or the path that the user has set. */
  readonly program: string;
  /** What asks for its version and for its help; `--version` and `--help` unless it has other words for them. */
  readonly version?: readonly string[];
  readonly help?: readonly string[];
  /** Said when it is not there. */
  readonly missing: string;
  readonly auth: Finding["auth"];
}

/** Looks for a program and asks it for its version and its help. */
export async function probeProgram(host: ProbeHost, line: ProbeLine): Promise<Finding> {
  const absent: Finding = {
    installed: false,
    program: null,
    version: null,
    flags: [],
    auth: line.auth,
    problems: [line.missing],
  };
  const program = await host.find(line.program);
  if (program === null) return absent;
  const { version: askVersion = ["--version"], help: askHelp = ["--help"] } = line;
  const [version, help] = await Promise.all([host.run(program, askVersion), host.run(program, askHelp)]);
  if (version.code !== 0) {
    const said = (version.stderr || version.stdout).trim().slice(0, 200);
    return { ...absent, program, problems: [`${program} does not run: ${said || `exit code ${version.code}`}.`] };
  }
  return {
    installed: true,
    program,
    version: /\d+\.\d+[\w.+-]*/.exec(version.stdout)?.[0] ?? version.stdout.trim(),
    flags: flagsIn(`${help.stdout}\n${help.stderr}`),
    auth: line.auth,
    problems: [],
  };
}
