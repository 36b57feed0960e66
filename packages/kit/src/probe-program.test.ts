import type { ProbeHost } from "@fairlead/contract";
import { expect, test } from "vitest";
import { probeProgram, type ProgramProbe } from "./probe-program.ts";

const probe: ProgramProbe = {
  program: "agent",
  versionArgs: ["--version"],
  helpArgs: ["--help"],
  missingMessage: "agent is not installed.",
  auth: "login",
};
type RunResult = Awaited<ReturnType<ProbeHost["run"]>>;
const ok = (stdout: string, stderr = ""): RunResult => ({ code: 0, stdout, stderr });

/** A host with one program that prints these results by command line. */
function hostWith(results: Readonly<Record<string, RunResult>>): ProbeHost {
  return {
    find: async (program) => (program === "agent" ? "/bin/agent" : null),
    run: async (program, args) => results[[program, ...args].join(" ")] ?? { code: 127, stdout: "", stderr: "" },
    hasVariable: () => false,
    exists: async () => false,
  };
}

test("reads version and flags of an installed program from both output streams", async () => {
  const host = hostWith({
    "/bin/agent --version": ok("agent 12.10.3-beta.1+x (made up)\n"),
    "/bin/agent --help": ok("--print\n", "--verbose\n"),
  });
  expect(await probeProgram(host, probe)).toEqual({
    installed: true,
    program: "/bin/agent",
    version: "12.10.3-beta.1+x",
    flags: ["--print", "--verbose"],
    auth: "login",
    problems: [],
  });
});

test("reports a version without a number as printed", async () => {
  const host = hostWith({ "/bin/agent --version": ok("\n nightly\n"), "/bin/agent --help": ok("") });
  expect(await probeProgram(host, probe)).toMatchObject({ installed: true, version: "nightly", flags: [] });
});

test("reports a missing program with the adapter's message", async () => {
  expect(await probeProgram(hostWith({}), { ...probe, program: "another" })).toEqual({
    installed: false,
    program: null,
    version: null,
    flags: [],
    auth: "login",
    problems: ["agent is not installed."],
  });
});

test.each<[string, RunResult, string]>([
  ["prints a reason", { code: 1, stdout: "out", stderr: " no such library \n" }, "no such library"],
  ["prints a reason on standard output", { code: 1, stdout: "no licence\n", stderr: "" }, "no licence"],
  ["prints nothing", { code: 127, stdout: "", stderr: "" }, "exit code 127"],
  ["prints a long reason", { code: 1, stdout: "", stderr: "x".repeat(999) }, "x".repeat(200)],
])("a program that fails and %s is not installed", async (_, versionRun, reason) => {
  const result = await probeProgram(hostWith({ "/bin/agent --version": versionRun }), probe);
  expect(result).toMatchObject({ installed: false, program: "/bin/agent", version: null });
  expect(result.problems).toEqual([`/bin/agent does not run: ${reason}.`]);
});
