import { expect, test } from "vitest";
import { agentFolder, agentProgram } from "./agents.ts";

test("installs each agent in its own folder below the repository", () => {
  expect(agentFolder("claude-code")).toMatch(/\/\.agents\/claude-code\/$/);
});

test("rejects an unknown agent and lists the known ones", () => {
  expect(() => agentProgram("no-such-agent")).toThrow(
    'Unknown agent "no-such-agent". The lab can install: claude-code',
  );
});
