import type { Adapter } from "@fairlead/contract";
import type { Frame } from "@fairlead/keeper";
import type { Order } from "@fairlead/kit";
import { childEnvironment, type Environment } from "./child-environment.ts";

/** An order in the words of the keeper; null for what the keeper has no part in. */
export function orderFrame({ id, effect }: Order, adapter: Adapter, environment: Environment): Frame | null {
  switch (effect.type) {
    case "launch": {
      const env = childEnvironment(environment, adapter.manifest.environment, effect.line.env);
      return { do: "launch", id, line: { ...effect.line, env } };
    }
    case "say":
      return { do: "say", id, text: effect.text };
    case "signal":
      return { do: "signal", id, signal: effect.signal };
    case "hangup":
    case "kill":
      return { do: effect.type, id };
    case "alarm":
    case "disarm":
      return null;
    default:
      return effect satisfies never;
  }
}
