import { isAbsolute, resolve } from "node:path";
import type { CliContext } from "../cli-context.ts";
import { UsageError } from "../usage-error.ts";
import { findRemoteUrl } from "./find-remote-url.ts";

/**
 * Resolves a folder that was typed, or the current one. With `FAIRLEAD_URL` it is a folder of another machine, so only an
 * absolute path says which one, and nothing here is read.
 */
export function resolveFolder(context: Pick<CliContext, "environment" | "folder">, typed: string | undefined): string {
  const url = findRemoteUrl(context);
  if (url === null) return resolve(context.folder, typed ?? ".");
  if (typed === undefined)
    throw new UsageError(
      `The workspace is missing, because FAIRLEAD_URL names another machine and the current folder is here: add --workspace with an absolute path of that machine.`,
    );
  if (isAbsolute(typed)) return typed;
  throw new UsageError(
    `The workspace "${typed}" is relative to a folder here, and FAIRLEAD_URL names another machine: type an absolute path of that machine.`,
  );
}
