import type { LaunchCommand } from "@fairlead/contract";

/** The values of secret references, by reference. */
export type SecretValues = Readonly<Record<string, string>>;

// In the form of a URL, so that a setting that must be a URL accepts it.
const referencePattern = /fairlead-secret:[a-z0-9]+\/[\w.~%-]+/g;

/** Creates a reference to a secret. Without the random `nonce`, a message could contain the reference and so the secret. */
export function createSecretReference(nonce: string, name: string): string {
  const encodedName = encodeURIComponent(name).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  return `fairlead-secret:${nonce}/${encodedName}`;
}

export function hasSecretReference({ args, env }: Pick<LaunchCommand, "args" | "env">): boolean {
  return [...args, ...Object.values(env)].some((text) => text.includes("fairlead-secret:"));
}

/** Replaces the references in the arguments and the environment of a command. Leaves unknown references unchanged. */
export function resolveSecrets(command: LaunchCommand, secrets: SecretValues): LaunchCommand {
  if (!hasSecretReference(command)) return command;
  const resolve = (text: string): string => resolveSecretText(text, secrets);
  const env = Object.fromEntries(Object.entries(command.env).map(([name, value]) => [name, resolve(value)]));
  return { ...command, args: command.args.map(resolve), env };
}

/**
 * Replaces the references in a text. Escapes a value inside double quotes: there an adapter has put the reference into JSON
 * or TOML.
 */
export function resolveSecretText(text: string, secrets: SecretValues = {}): string {
  if (Object.keys(secrets).length === 0) return text;
  return text.replace(referencePattern, (reference, offset: number) => {
    const value = Object.hasOwn(secrets, reference) ? secrets[reference] : undefined;
    if (value === undefined) return reference;
    return isInsideQuotes(text.slice(0, offset)) ? JSON.stringify(value).slice(1, -1) : value;
  });
}

function isInsideQuotes(before: string): boolean {
  return before.replace(/\\./g, "").split('"').length % 2 === 0;
}
