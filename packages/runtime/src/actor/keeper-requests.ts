import { commandRules, type Note, type Sandbox } from "@fairlead/contract";
import { hasSecretReference, RequestRejected, resolveSecrets, type KeeperRequest } from "@fairlead/keeper";
import type { PendingEffect } from "@fairlead/reducer";
import { buildChildEnvironment } from "../host/child-environment.ts";
import type { SessionActorOptions } from "./session-actor-options.ts";

/** What a launch needs besides the effect. */
export type EffectContext = Pick<SessionActorOptions, "adapter" | "environment" | "readSecrets"> & {
  readonly sandbox: Sandbox | undefined;
};

/**
 * Builds the keeper request that runs an effect. Returns null for alarms, which the actor runs. Throws `RequestRejected`
 * for a launch in a sandbox that the keeper would not apply.
 */
export function requestForEffect(
  { id, effect }: PendingEffect,
  { adapter, environment, readSecrets = () => ({}), sandbox }: EffectContext,
  keeperFeatures: ReadonlySet<string>,
): KeeperRequest | null {
  switch (effect.type) {
    case "launch": {
      const full = buildChildEnvironment(environment, adapter.manifest.environment, effect.command.env);
      const { env, credential } = withholdCredential(id, full, sandbox);
      const command = { ...effect.command, env };
      const limits = sandbox === undefined || sandbox.kind === "none" ? {} : { sandbox };
      if ("sandbox" in limits && !keeperFeatures.has("sandbox")) {
        throw new RequestRejected(id, olderKeeper("no sandbox"));
      }
      if ("sandbox" in limits && sandbox?.network === "gate" && !keeperFeatures.has("gate")) {
        throw new RequestRejected(id, olderKeeper("no network gate"));
      }
      if (!hasSecretReference(command)) return { do: "launch", id, command, ...credential, ...limits };
      const secrets = readSecrets();
      // An older keeper does not resolve references. It then records the arguments with their values.
      return keeperFeatures.has("secrets")
        ? { do: "launch", id, command, secrets, ...credential, ...limits }
        : { do: "launch", id, command: resolveSecrets(command, secrets), ...limits };
    }
    case "write": {
      const { text } = effect;
      if (effect.resolves !== true) return { do: "write", id, text };
      if (!keeperFeatures.has("input-secrets")) throw new RequestRejected(id, olderKeeper("no secret input"));
      return { do: "write", id, text, secrets: readSecrets() };
    }
    case "signal":
      return { do: "signal", id, signal: effect.signal };
    case "network":
      return { do: "network", id, host: effect.host, port: effect.port, allow: effect.allow };
    case "close-stdin":
    case "kill":
      return { do: effect.type, id };
    case "alarm":
    case "disarm":
    case "use":
      return null;
    default:
      return effect satisfies never;
  }
}

/** Takes the key out of the environment of an agent whose gate inserts it. Only the keeper gets it, and records it nowhere. */
function withholdCredential(
  id: string,
  environment: Readonly<Record<string, string>>,
  sandbox: Sandbox | undefined,
): { env: Record<string, string>; credential: { credential?: string } } {
  const endpoint = sandbox?.network === "gate" ? sandbox.gate?.endpoint : undefined;
  if (endpoint === undefined) return { env: { ...environment }, credential: {} };
  const key = environment[endpoint.variable];
  // It may be elsewhere in the environment, and the session states that it is withheld.
  if (key === undefined)
    throw new RequestRejected(id, `${endpoint.variable} is not set, whose key the session withholds.`);
  const { [endpoint.variable]: _, ...rest } = environment;
  const entries = Object.entries({ ...rest, ...endpoint.variables }).filter(([, value]) => value !== null);
  return { env: Object.fromEntries(entries) as Record<string, string>, credential: { credential: key } };
}

const olderKeeper = (lack: string): string =>
  `The session's keeper is of an older version, which has ${lack}. Stop the session, and start another.`;

/** Builds the keeper request that records a note in the spool. Commands get the rules by which the reducer accepts them. */
export function requestForNote(note: Note, id: string): KeeperRequest {
  const stored: Note = note.type === "command" ? { ...note, rules: commandRules } : note;
  return { do: "note", id, text: JSON.stringify(stored) };
}
