import { createHmac } from "node:crypto";

export type Variables = Readonly<Record<string, string | undefined>>;

/** What tells whether two environments have the same values, without telling the values. */
export function variableDigests(environment: Variables, salt: string): Record<string, string> {
  const digest = (value = ""): string => createHmac("sha256", salt).update(value).digest("hex").slice(0, 16);
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, digest(value)]));
}
