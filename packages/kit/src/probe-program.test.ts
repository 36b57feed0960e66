import type { ProbeHost } from "@fairlead/contract";
import { expect, test } from "vitest";
import { probeProgram, type ProbeLine } from "./probe-program.ts";

const line: ProbeLine = {
  program: "agent",
  version: ["--version"],
  help: ["--help"],
  missing: "agent is not installed.",
  auth: "login",
};
type Ran = Awaited<ReturnType<ProbeHost["run"]>>;
const ok = (stdout: string, stderr = ""): Ran => ({ code: 0, stdout, stderr });

/** A machine with one program on it, which answers to these arguments. */
function hostWith(answers: Readonly<Record<string, Ran>>): ProbeHost {
  return {
    find: async (program) => (program === "agent" ? "/bin/agent" : null),
    run: async (program, args) => answers[[program, ...args].join(" ")] ?? { code: 127, stdout: "", stderr: "" },
    has: () => false,
    exists: async () => false,
  };
}

test("a program that is there is found with its version and its flags, wherever it prints them", async () => {
  const host = hostWith({
    "/bin/agent --version": ok("agent 12.10.3-beta.1+x (made up)\n"),
    "/bin/agent --help": ok("--print\n", "--verbose\n"),
  });
  expect(await probeProgram(host, line)).toEqual({
    installed: true,
    program: "/bin/agent",
    version: "12.10.3-beta.1+x",
    flags: ["--print", "--verbose"],
    auth: "login",
    problems: [],
  });
});

test("a version without a number is taken as it is printed", async () => {
  const host = hostWith({ "/bin/agent --version": ok("\n nightly\n"), "/bin/agent --help": ok("") });
  expect(await probeProgram(host, line)).toMatchObject({ installed: true, version: "nightly", flags: [] });
});

test("a program that is not there is missing, in the adapter's own words", async () => {
  expect(await probeProgram(hostWith({}), { ...line, program: "another" })).toEqual({
    installed: false,
    program: null,
    version: null,
    flags: [],
    auth: "login",
    problems: ["agent is not installed."],
  });
});

test.each<[string, Ran, string]>([
  ["says why", { code: 1, stdout: "out", stderr: " no such library \n" }, "no such library"],
  ["says why where it should not", { code: 1, stdout: "no licence\n", stderr: "" }, "no licence"],
  ["says nothing", { code: 127, stdout: "", stderr: "" }, "exit code 127"],
  ["says too much", { code: 1, stdout: "", stderr: "x".repeat(999) }, "x".repeat(200)],
])("a program that does not run and %s is there, but not installed", async (_, ran, why) => {
  const finding = await probeProgram(hostWith({ "/bin/agent --version": ran }), line);
  expect(finding).toMatchObject({ installed: false, program: "/bin/agent", version: null });
  expect(finding.problems).toEqual([`/bin/agent does not run: ${why}.`]);
});
