import { expect, test } from "vitest";
import { shellAdapter } from "./adapter.ts";

/** Returns why a session refuses a command, or null if it runs it. */
function refusal(settings: object, command: string): string | null {
  const { dialect } = shellAdapter.open({
    mode: "default",
    workspace: "/w",
    settings: shellAdapter.manifest.settings.parse(settings),
    continues: null,
    probeResult: { installed: true, program: "/bin/bash", version: null, auth: "none", flags: [], problems: [] },
  } as unknown as Parameters<typeof shellAdapter.open>[0]);
  const { events = [], effects = [] } = dialect.handle(dialect.initialState, {
    type: "send",
    turn: "1",
    text: command,
  } as never);
  const isRun = effects.some(({ type }) => type === "launch");
  const raised = events.find((event) => event.type === "error.raised");
  expect(isRun).toBe(raised === undefined);
  return raised === undefined ? null : raised.message;
}

const denied = "rm is one of the denied commands.";

test.for([
  ["rm x", denied],
  ["/bin/rm x", denied],
  ["true && r''m x", denied],
  ["echo $(rm x)", denied],
  ["f() { rm x; }; f", denied],
  ["env rm x", denied],
  ["find . -exec rm {} +", denied],
  ["bash -c 'rm x'", denied],
  ["$X x", "The commands that this would run are unknown: the name of a program is computed: $X."],
  ["bash x.sh", "The commands that this would run are unknown: bash runs other commands."],
  ["source x", "The commands that this would run are unknown: source runs other commands."],
  ["timeout 3 ls", null],
  ["ls -l | cat", null],
] as const)("with rm denied: %s", ([command, reason]) =>
  expect(refusal({ deniedCommands: ["rm"] }, command)).toBe(reason),
);

test("with a list of allowed commands, the others are refused", () => {
  const settings = { allowedCommands: ["ls", "cat"], deniedCommands: ["cat"] };
  expect(refusal(settings, "ls")).toBeNull();
  expect(refusal(settings, "f() { ls; }; f")).toBeNull();
  expect(refusal(settings, "ls | cat")).toBe("cat is one of the denied commands.");
  expect(refusal(settings, "ls; wc x")).toBe("wc is not one of the allowed commands.");
  expect(refusal({}, "$X; bash x")).toBeNull();
});
