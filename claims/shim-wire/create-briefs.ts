import { adapters } from "@fairlead/adapters";
import type { BenchAction, ModelStep, TestBench } from "@fairlead/conformance";
import type { Briefs } from "./exercise-protocol.ts";
import type { Json } from "./shim-test-client.ts";

const write: BenchAction = { write: { path: "notes.md", content: "x\n" } };
const ask: BenchAction = {
  ask: { text: "Which?", options: [{ label: "This" }, { label: "That" }], multiSelect: false },
};
const answer = "The context has come through.";

/** Briefs that make an agent on its bench do each thing. The brief scripts the mock; prompts script the others. */
export function createBriefs(agent: string, bench: TestBench, workspace: string): Briefs {
  const { capabilities = [] } = adapters.find(({ manifest }) => manifest.id === agent)?.manifest ?? {};
  const isMock = agent === "scripted";
  const prompt = (steps: readonly ModelStep[]): string => bench.buildPrompt(steps, workspace) ?? "";
  const brief = (description: string, more: Json = {}): Json => ({
    agentId: "agent-1",
    role: "Writer",
    workstream: "words",
    description,
    // The mock runs the script in its brief.
    providerConfig: { fairlead: isMock ? { script: scriptIn(description) } : { settings: bench.settings ?? {} } },
    ...more,
  });
  const everything: ModelStep[] = [
    { text: "Here it goes.", actions: [write] },
    { actions: [{ run: "exit 3" }] },
    ...(capabilities.includes("questions") ? [{ actions: [ask] }] : []),
    { text: "That was all." },
  ];
  // When a real agent continues, only the injected context determines its text. The mock continues its script.
  const slow = { text: "x".repeat(40), chunks: 40, chunkDelay: 50 };
  const scripted: ModelStep[] = [{ text: "This takes long." }, slow, { text: answer }];
  const long: ModelStep[] = [
    { text: "This takes long.", actions: [{ run: "for i in $(seq 60); do echo $i; sleep 1; done" }] },
    { text: "Never said." },
  ];
  const failure = isMock
    ? prompt([{ actions: [write] }, { error: { status: 500 } } as ModelStep])
    : (bench.failures.find(({ name }) => name === "HTTP 400")?.prompt ?? "");
  return {
    everything: brief(prompt(everything)),
    unattended: bench.settings
      ? null
      : brief(prompt([{ text: answer }]), { providerConfig: { fairlead: { mode: "full-auto" } } }),
    long: brief(prompt(isMock ? scripted : long)),
    context: isMock ? "The sky is green." : prompt([{ text: answer }]),
    answer,
    failing: brief(failure),
    dying: isMock ? brief(prompt([{ actions: [{ run: "kill -9 $PPID" }] }])) : null,
    limited: capabilities.includes("max-turns")
      ? brief(prompt([{ actions: [write] }, { text: "Never said." }]), { sessionPolicy: { maxTurns: 1 } })
      : null,
  };
}

function scriptIn(description: string): unknown {
  return JSON.parse(description.slice(description.indexOf("[")));
}
