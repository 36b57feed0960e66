import { FairleadError, PolicyRequest } from "@fairlead/contract";
import { z } from "zod";
import { parseConfig } from "../config/parse-workspace-config.ts";
import { readPlainFile } from "../host/read-plain-file.ts";

/** The name of the file, as reasons and the journal show it. */
export const userPolicySource = "policy.yaml";
const maxBytes = 256 * 1024;

/** The schema of `policy.yaml` in the data directory, which agents in a sandbox do not see. See docs/use/policy.md. */
const UserPolicy = PolicyRequest.extend({
  /** Whether the default policy applies, too. */
  default: z.boolean().default(true),
});
export type UserPolicy = z.infer<typeof UserPolicy>;

/** Reads the user's policy. Throws `invalid-settings` if the file is not valid: an agent must not start on a guess. */
export function readUserPolicy(file: string): UserPolicy {
  try {
    return parseUserPolicy(readPlainFile(file, maxBytes) ?? "");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new FairleadError("invalid-settings", `The policy ${file} is not valid. ${reason}`, { cause: error });
  }
}

/** Parses the text of a policy file that a request names. */
export function parsePolicyRequest(text: string): PolicyRequest {
  return parseConfig(text, PolicyRequest);
}

export function parseUserPolicy(text: string): UserPolicy {
  return parseConfig(text, UserPolicy);
}
