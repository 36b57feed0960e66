import { adapters } from "@fairlead/adapters";
import type { Adapter, Effect } from "@fairlead/contract";

/** The scripted agent's adapter with another program in its place, which is handed its one argument as JSON. */
export function standIn(program: URL, argument: unknown): Adapter {
  const scripted = adapters.find(({ manifest }) => manifest.id === "scripted");
  if (scripted === undefined) throw new Error("There is no scripted agent.");
  const args = [program.pathname, JSON.stringify(argument)];
  const replaced = (effect: Effect): Effect =>
    effect.type === "launch" ? { ...effect, line: { ...effect.line, args } } : effect;
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
