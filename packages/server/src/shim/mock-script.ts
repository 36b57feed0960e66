import type { AgentBrief } from "./agent-brief.ts";
import type { ShimState } from "./events/shim-state.ts";

/** The agent behind `--mock`. It runs a script, with real file changes, commands and decisions. */
export const mockAgent = "scripted";

interface MockStep {
  readonly think?: unknown;
  readonly text?: unknown;
  readonly tools?: unknown;
}

/** The script unless the brief has one: every kind of successful event, and one command that fails. */
const defaultMockScript: readonly MockStep[] = [
  { think: "A greeting would be a good start." },
  { text: "I will write a greeting, and ask how it should sound." },
  { tools: [{ name: "write", input: { path: "greeting.ts", content: 'export const greeting = "Hello";\n' } }] },
  {
    tools: [
      {
        name: "ask",
        input: {
          questions: [
            { text: "How should it sound?", options: [{ label: "Friendly" }, { label: "Formal" }], several: false },
          ],
        },
      },
    ],
  },
  { tools: [{ name: "run", input: { command: "echo no greeting was tested >&2; exit 1" } }] },
  { text: "The greeting is there." },
];

export function getMockScript(brief: AgentBrief): readonly MockStep[] {
  return brief.providerConfig?.fairlead?.script ?? defaultMockScript;
}

/** Formats a message that makes the scripted agent run the rest of the script. */
export function scriptedMessage(text: string, brief: AgentBrief, position: number): string {
  return `${text}\n\nSCRIPT:${JSON.stringify(getMockScript(brief).slice(position))}`;
}

/** Returns how many steps of the script are complete, in a run that began at `startPosition`. */
export function scriptPosition(brief: AgentBrief, startPosition: number, { completedParts }: ShimState): number {
  let [position, remainingParts] = [startPosition, completedParts];
  for (const step of getMockScript(brief).slice(startPosition)) {
    remainingParts -= countParts(step);
    if (remainingParts < 0) break;
    position += 1;
  }
  return position;
}

function countParts({ think, text, tools }: MockStep): number {
  return Number(think !== undefined) + Number(text !== undefined) + (Array.isArray(tools) ? tools.length : 0);
}
