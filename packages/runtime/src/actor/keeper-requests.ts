import { commandRules, type Adapter, type Note } from "@fairlead/contract";
import type { KeeperRequest } from "@fairlead/keeper";
import type { PendingEffect } from "@fairlead/reducer";
import { buildChildEnvironment, type Environment } from "../host/child-environment.ts";

/** Builds the keeper request that runs an effect. Returns null for alarms, which the actor runs. */
export function requestForEffect(
  { id, effect }: PendingEffect,
  adapter: Adapter,
  environment: Environment,
): KeeperRequest | null {
  switch (effect.type) {
    case "launch": {
      const env = buildChildEnvironment(environment, adapter.manifest.environment, effect.command.env);
      return { do: "launch", id, command: { ...effect.command, env } };
    }
    case "write":
      return { do: "write", id, text: effect.text };
    case "signal":
      return { do: "signal", id, signal: effect.signal };
    case "close-stdin":
    case "kill":
      return { do: effect.type, id };
    case "alarm":
    case "disarm":
      return null;
    default:
      return effect satisfies never;
  }
}

/** Builds the keeper request that records a note in the spool. Commands get the rules by which the reducer accepts them. */
export function requestForNote(note: Note, id: string): KeeperRequest {
  const stored: Note = note.type === "command" ? { ...note, rules: commandRules } : note;
  return { do: "note", id, text: JSON.stringify(stored) };
}
