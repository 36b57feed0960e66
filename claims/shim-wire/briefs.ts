import { adapters } from "@fairlead/adapters";
import type { Act, ModelStep, Stage } from "@fairlead/conformance";
import type { Briefs } from "./tour.ts";
import type { Json } from "./wire-client.ts";

const write: Act = { write: { path: "notes.md", content: "x\n" } };
const ask: Act = {
  ask: { text: "Which?", options: [{ label: "This" }, { label: "That" }], several: false },
};
const answer = "The context has come through.";

/** What makes an agent on its stage do each thing. The mock is scripted by its brief, and the others by what they are told. */
export function briefsFor(agent: string, stage: Stage, workspace: string): Briefs {
  const { capabilities = [] } = adapters.find(({ manifest }) => manifest.id === agent)?.manifest ?? {};
  const isMock = agent === "scripted";
  const prompt = (steps: readonly ModelStep[]): string => stage.prompt(steps, workspace) ?? "";
  const brief = (description: string, more: Json = {}): Json => ({
    agentId: "agent-1",
    role: "Somebody",
    workstream: "words",
    description,
    // The mock plays its own script, which may be given in its brief.
    providerConfig: { fairlead: isMock ? { script: scriptIn(description) } : { settings: stage.settings ?? {} } },
    ...more,
  });
  const everything: ModelStep[] = [
    { text: "Here it goes.", acts: [write] },
    { acts: [{ run: "exit 3" }] },
    ...(capabilities.includes("questions") ? [{ acts: [ask] }] : []),
    { text: "That was all." },
  ];
  // A real agent that goes on is told by the context alone what to say; the mock goes on with its script.
  const slow = { text: "x".repeat(40), chunks: 40, chunkDelay: 50 };
  const scripted: ModelStep[] = [{ text: "This takes long." }, slow, { text: answer }];
  const long: ModelStep[] = [{ text: "This takes long.", acts: [{ run: "sleep 60" }] }, { text: "Never said." }];
  const failure = isMock
    ? prompt([{ acts: [write] }, { error: { status: 500 } } as ModelStep])
    : (stage.failures.find(({ name }) => name === "HTTP 400")?.prompt ?? "");
  return {
    everything: brief(prompt(everything)),
    long: brief(prompt(isMock ? scripted : long)),
    context: isMock ? "The sky is green." : prompt([{ text: answer }]),
    answer,
    failing: brief(failure),
    dying: isMock ? brief(prompt([{ acts: [{ run: "kill -9 $PPID" }] }])) : null,
    limited: capabilities.includes("max-turns")
      ? brief(prompt([{ acts: [write] }, { text: "Never said." }]), { sessionPolicy: { maxTurns: 1 } })
      : null,
  };
}

function scriptIn(description: string): unknown {
  return JSON.parse(description.slice(description.indexOf("[")));
}
