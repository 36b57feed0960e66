import { fileURLToPath } from "node:url";
import { adapters } from "@fairlead/adapters";
import type { Adapter, Effect } from "@fairlead/contract";
import type { StoryTurn } from "./story.ts";

const wrapper = fileURLToPath(new URL("story-agent.ts", import.meta.url));

/** Creates the scripted agent's adapter with scripts for the messages of turns. */
export function createStoryAdapter(turns: readonly StoryTurn[]): Adapter {
  const scripted = adapters.find(({ manifest }) => manifest.id === "scripted");
  if (scripted === undefined) throw new Error("There is no scripted agent.");
  const wrap = (effect: Effect): Effect => {
    if (effect.type !== "launch") return effect;
    const { command } = effect;
    return { ...effect, command: { ...command, args: [wrapper, JSON.stringify(turns), ...command.args] } };
  };
  return {
    ...scripted,
    open(opening) {
      const { dialect, ...conversation } = scripted.open(opening);
      return {
        ...conversation,
        dialect: {
          ...dialect,
          handle(state, command) {
            const transition = dialect.handle(state, command);
            return { ...transition, effects: (transition.effects ?? []).map(wrap) };
          },
        },
      };
    },
  };
}
