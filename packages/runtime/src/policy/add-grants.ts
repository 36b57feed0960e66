import { renameSync, writeFileSync } from "node:fs";
import { FairleadError, type PolicyGrant } from "@fairlead/contract";
import { isSeq, parseDocument } from "yaml";
import { readPlainFile } from "../host/read-plain-file.ts";
import { parseUserPolicy, readUserPolicy } from "./user-policy.ts";

const maxBytes = 256 * 1024;

/** Throws `invalid-settings` if grants cannot be added to the user's policy, because it is not valid or would not be. */
export function assertGrantsFit(file: string, added: readonly PolicyGrant[]): void {
  withGrants(file, added);
}

/**
 * Adds grants to the user's policy, and keeps what the user wrote, with its comments. A grant that the file has already is not
 * added again. Throws `invalid-settings` if the file is not valid, or would not be.
 */
export function addGrants(file: string, added: readonly PolicyGrant[]): void {
  const text = withGrants(file, added);
  if (text === null) return;
  // Replaced as a whole: a crash must not leave a part of the user's rules.
  const temporaryFile = `${file}.${process.pid}`;
  writeFileSync(temporaryFile, text, { mode: 0o600 });
  renameSync(temporaryFile, file);
}

/** Returns the text of the policy with the grants, or null if it has all of them. */
function withGrants(file: string, added: readonly PolicyGrant[]): string | null {
  const { grants: known = [] } = readUserPolicy(file);
  const missing = added.filter((grant) => !known.some((one) => includes(one, grant)));
  if (missing.length === 0) return null;
  const document = parseDocument(readPlainFile(file, maxBytes) ?? "");
  if (!isSeq(document.get("grants", true))) document.set("grants", document.createNode([]));
  for (const { command, categories } of missing)
    document.addIn(["grants"], document.createNode({ command, categories }));
  const text = document.toString();
  try {
    parseUserPolicy(text);
  } catch (error) {
    throw new FairleadError("invalid-settings", `The grant cannot be added to ${file}.`, { cause: error });
  }
  return text;
}

function includes(known: PolicyGrant, grant: PolicyGrant): boolean {
  return known.command === grant.command && grant.categories.every((one) => known.categories.includes(one));
}
