import { adapters } from "@fairlead/adapters";
import type { Adapter, Effect } from "@fairlead/contract";

/**
 * The scripted agent's adapter with another program in its place, which is handed its one argument as JSON. It is a
 * program for node unless something else is said to run it.
 */
export function standIn(program: URL, argument: unknown, runner?: string): Adapter {
  const scripted = adapters.find(({ manifest }) => manifest.id === "scripted");
  if (scripted === undefined) throw new Error("There is no scripted agent.");
  const own = { args: [program.pathname, JSON.stringify(argument)], ...(runner && { program: runner }) };
  const replaced = (effect: Effect): Effect =>
    effect.type === "launch" ? { ...effect, line: { ...effect.line, ...own } } : effect;
  return {
    ...scripted,
    open(opening) {
      const { dialect, ...conversation } = scripted.open(opening);
      return {
        ...conversation,
        dialect: {
          ...dialect,
          ask(state, wish) {
            const step = dialect.ask(state, wish);
            return { ...step, effects: (step.effects ?? []).map(replaced) };
          },
        },
      };
    },
  };
}
