import type { AgentView } from "@fairlead/api";
import type { Finding } from "@fairlead/contract";
import { expect, it } from "vitest";
import { agentLines } from "./doctor-lines.ts";
import { unpainted } from "./paint.ts";

const finding: Finding = {
  installed: true,
  program: "/bin/tester",
  version: "1.2.3",
  flags: ["--a", "--b"],
  auth: "api-key",
  problems: ["It is old."],
};
const tester: AgentView = {
  agent: "tester",
  label: "Tester",
  vendor: "Somebody",
  modes: ["default", "plan"],
  capabilities: ["tools"],
  adapterVersion: "1",
  models: [],
  verified: true,
  finding,
};

it("tells what an agent can do here, what it does not, and what is wrong", () => {
  const lines = agentLines(tester, unpainted);
  expect(lines.slice(0, -1)).toEqual([
    "tester  Tester, by Somebody",
    "  ✓ installed · 1.2.3 · /bin/tester · 2 flags · with an API key",
    "  ! It is old.",
    "  modes: default, plan",
    "  can:",
    "    tools  Tool calls are told, with input and output.",
  ]);
  expect(lines.at(-1)).toMatch(/^ {2}does not: streaming, reasoning, .*cost$/);
});

it("claims nothing for an agent that is not there", () => {
  const absent: Finding = { ...finding, installed: false, program: null, version: null };
  expect(agentLines({ ...tester, finding: absent }, unpainted).join("\n")).not.toContain("can:");
});
