/**
 * The settings that cannot extend what an agent may do, each with a check of the values that an untrusted workspace file
 * may set. All other settings can make an agent run a program or connect to another host. A caller that cannot approve may
 * set `systemPrompt`, because it may send any message anyway. The author of a file may not send messages.
 */
const harmlessSettings: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ["model", (value: unknown) => typeof value === "string" && !isFlag(value)],
  ["systemPrompt", () => false],
  ["maxTurns", (value: unknown) => typeof value === "number"],
]);

/** The names of the settings that a caller without the scope `approve` may set. */
export const harmlessSettingNames: readonly string[] = [...harmlessSettings.keys()];

/** Reports whether a workspace file that no person has trusted may set this value. */
export function isAllowedInUntrustedFile(name: string, value: unknown): boolean {
  return harmlessSettings.get(name)?.(value) ?? false;
}

/** Reports whether a program could parse a value as a flag. Some do so even after a flag that takes a value. */
export function isFlag(value: unknown): boolean {
  return typeof value === "string" && value.startsWith("-");
}
