import type { AgentView } from "@fairlead/api";
import { capabilities, type ProbeResult } from "@fairlead/contract";
import { expect, it } from "vitest";
import { agentLines, environmentLines } from "./doctor-lines.ts";
import { noPaint } from "./paint.ts";

const probeResult: ProbeResult = {
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
  vendor: "Example",
  modes: ["default", "plan"],
  capabilities: ["tools"],
  adapterVersion: "1",
  models: [],
  verified: true,
  judged: [
    { version: "1.2.3", clauses: 60, kept: 60 },
    { version: "1.1.0", clauses: 58, kept: 57 },
  ],
  probeResult,
};

it("lists what an agent supports, what it does not, and its problems", () => {
  const lines = agentLines(tester, noPaint);
  expect(lines.slice(0, -1)).toEqual([
    "tester  Tester, by Example",
    "  ✓ installed · 1.2.3 · /bin/tester · 2 flags · with an API key",
    "  ! It is old.",
    "  modes: default, plan",
    "  judged: 1.2.3 (60 of 60), 1.1.0 (57 of 58)",
    "  supports:",
    `    tools  ${capabilities.tools}`,
  ]);
  expect(lines.at(-1)).toMatch(/^ {2}does not support: streaming, reasoning, .*cost$/);
});

it.each([
  ["clean", "intact"],
  ["intact", "intact after a crash"],
  ["unfinished", "a crash cut off the last write (12 bytes discarded); no stored event was lost"],
  ["damaged", "damaged: stored events were lost (12 bytes discarded)"],
] as const)("shows the verdict %j on the journal", (verdict, text) => {
  const journal = { verdict, bytesDiscarded: 12 };
  const report = {
    node: "v24.0.0",
    home: "/home",
    bash: "/bin/bash",
    containment: { kind: "namespace", bubblewrap: "/usr/bin/bwrap", platform: "linux" },
    sandboxProblem: null,
    configProblem: null,
    configMistakes: [],
    sessions: 1,
    journal,
    problem: null,
    failedSessions: [],
  } as const;
  expect(environmentLines(report, noPaint)).toEqual([
    "Environment",
    "  Node     v24.0.0",
    "  Data     /home (1 session)",
    `  Journal  ${text}`,
    "  bash     /bin/bash",
    "  Agents   each agent runs in a process namespace (/usr/bin/bwrap)",
    "  Sandbox  available",
  ]);
});

it("shows what happened to the data directory under the daemon", () => {
  const journal = { verdict: "clean", bytesDiscarded: 0 } as const;
  const report = {
    node: "v24.0.0",
    home: "/home",
    bash: null,
    containment: { kind: "descendants", bubblewrap: null, platform: "linux" },
    sandboxProblem: null,
    configProblem: null,
    configMistakes: [],
    sessions: 1,
    journal,
    problem: "journal.db was removed.",
    failedSessions: [{ session: "abc", problem: "Its spool is gone." }],
  } as const;
  expect(environmentLines(report, noPaint)).toContain("  Problem  journal.db was removed.");
  expect(environmentLines(report, noPaint)).toContain("  Session  abc: Its spool is gone.");
});

it.each([
  [
    { bubblewrap: null, platform: "linux" },
    /bubblewrap is not installed\. .*can survive a stop\. .*apt install bubblewrap/,
  ],
  [
    { bubblewrap: "/usr/bin/bwrap", platform: "linux" },
    /^ {2}Agents +\/usr\/bin\/bwrap may not create process namespaces/,
  ],
  [{ bubblewrap: null, platform: "darwin" }, /this system has no process namespaces/],
])("says what is missing to contain agents: %j", (found, text) => {
  const journal = { verdict: "clean", bytesDiscarded: 0 } as const;
  const common = {
    node: "v24.0.0",
    home: "/home",
    bash: null,
    sessions: 1,
    journal,
    problem: null,
    failedSessions: [],
  };
  const lines = environmentLines(
    {
      ...common,
      containment: { kind: "descendants", ...found },
      sandboxProblem: "It fails.",
      configProblem: "Line 3:\nno key.",
      configMistakes: ["~/x does not exist."],
    },
    noPaint,
  );
  expect(lines.join("\n")).toContain("not available. It fails.");
  expect(lines).toContain("  Settings  Line 3: no key.");
  expect(lines).toContain("  Settings  config.yaml: ~/x does not exist.");
  expect(lines.find((line) => line.startsWith("  Agents"))).toMatch(text);
});

it("lists no capabilities of an agent that is not installed", () => {
  const absent: ProbeResult = { ...probeResult, installed: false, program: null, version: null };
  expect(agentLines({ ...tester, probeResult: absent }, noPaint).join("\n")).not.toContain("supports:");
});
