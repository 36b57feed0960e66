import type { AgentBrief } from "./agent-brief.ts";
import type { ShimState } from "./shim-state.ts";

/** The agent behind `--mock`: it plays a script, and really writes, really runs and really asks. */
export const mockAgent = "scripted";

interface Step {
  readonly think?: unknown;
  readonly text?: unknown;
  readonly tools?: unknown;
}

/** What it plays unless the brief says otherwise: a bit of everything that goes well, and one command that does not. */
const mockScript: readonly Step[] = [
  { think: "A greeting would be a good start." },
  { text: "I will write a greeting, and ask how it is to sound." },
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

export function scriptOf(brief: AgentBrief): readonly Step[] {
  return brief.providerConfig?.fairlead?.script ?? mockScript;
}

/** A message that has the scripted agent play what is left of the script. */
export function scripted(text: string, brief: AgentBrief, position: number): string {
  return `${text}\n\nSCRIPT:${JSON.stringify(scriptOf(brief).slice(position))}`;
}

/** How many steps of the script are over, when it was taken up after `begun` of them. */
export function scriptPosition(brief: AgentBrief, begun: number, { parts }: ShimState): number {
  let [position, left] = [begun, parts];
  for (const step of scriptOf(brief).slice(begun)) {
    left -= partsOf(step);
    if (left < 0) break;
    position += 1;
  }
  return position;
}

function partsOf({ think, text, tools }: Step): number {
  return Number(think !== undefined) + Number(text !== undefined) + (Array.isArray(tools) ? tools.length : 0);
}
