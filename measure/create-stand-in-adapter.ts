import { adapters } from "@fairlead/adapters";
import type { Adapter, Effect } from "@fairlead/contract";

/** Creates the scripted agent's adapter with another program, which gets one argument as JSON. The default runner is Node. */
export function createStandInAdapter(program: URL, argument: unknown, runner?: string): Adapter {
  const scripted = adapters.find(({ manifest }) => manifest.id === "scripted");
  if (scripted === undefined) throw new Error("There is no scripted agent.");
  const override = { args: [program.pathname, JSON.stringify(argument)], ...(runner && { program: runner }) };
  const replaceProgram = (effect: Effect): Effect =>
    effect.type === "launch" ? { ...effect, command: { ...effect.command, ...override } } : effect;
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
            return { ...transition, effects: (transition.effects ?? []).map(replaceProgram) };
          },
        },
      };
    },
  };
}
