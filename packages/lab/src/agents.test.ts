import { expect, test } from "vitest";
import { agentFolder, agentProgram } from "./agents.ts";

test("agents live below the repository, each in a folder of its own", () => {
  expect(agentFolder("claude-code")).toMatch(/\/\.agents\/claude-code\/$/);
});

test("an agent that nobody knows is refused with the names of those we know", () => {
  expect(() => agentProgram("no-such-agent")).toThrow('knows no agent "no-such-agent". It knows: claude-code');
});
