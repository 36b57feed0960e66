import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { PolicyRequest } from "@fairlead/contract";
import { UsageError } from "../usage-error.ts";

export interface PolicyArguments {
  /** A file with a policy, relative to the current folder. */
  readonly policy?: string;
  readonly unattended?: "wait" | "deny";
  /** In seconds. */
  readonly deadline?: number;
}

/** Returns the policy that the options of a command ask for. Throws a `UsageError` for a file that is not valid. */
export async function readRequestedPolicy(
  folder: string,
  { policy: file, unattended, deadline }: PolicyArguments,
): Promise<{ readonly policy?: PolicyRequest }> {
  if (file === undefined && unattended === undefined && deadline === undefined) return {};
  return {
    policy: {
      ...(file !== undefined && (await readPolicyFile(resolve(folder, file)))),
      ...(unattended !== undefined && { unattended }),
      ...(deadline !== undefined && { deadlineSeconds: deadline }),
    },
  };
}

async function readPolicyFile(file: string): Promise<PolicyRequest> {
  const { parsePolicyRequest } = await import("@fairlead/runtime");
  try {
    return parsePolicyRequest(readFileSync(file, "utf8"));
  } catch (error) {
    throw new UsageError(`The policy ${file} cannot be used. ${(error as Error).message}`, null, { cause: error });
  }
}
