import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { ServiceUrl } from "@fairlead/client/node";
import type { CliContext } from "../cli-context.ts";
import { UsageError } from "../usage-error.ts";

/** Reads the token and the certificate authority for the service at `FAIRLEAD_URL`. */
export function readRemoteAddress(url: string, context: Pick<CliContext, "environment" | "folder">): ServiceUrl {
  const { environment } = context;
  if (environment["FAIRLEAD_DAEMON"] === "off")
    throw new UsageError("FAIRLEAD_URL and FAIRLEAD_DAEMON=off exclude each other: unset one of them.");
  const caFile = environment["FAIRLEAD_CA"];
  return {
    url,
    token: readToken(url, context),
    ...(caFile && { ca: readVariableFile("FAIRLEAD_CA", caFile, context) }),
  };
}

function readToken(url: string, context: Pick<CliContext, "environment" | "folder">): string {
  const { FAIRLEAD_TOKEN: typed, FAIRLEAD_TOKEN_FILE: file } = context.environment;
  if (!typed && !file)
    throw new UsageError(
      `There is no token for ${url}: set FAIRLEAD_TOKEN, or FAIRLEAD_TOKEN_FILE to the name of a file that contains it.`,
    );
  const token = (typed || readVariableFile("FAIRLEAD_TOKEN_FILE", file ?? "", context)).trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const source = typed ? "FAIRLEAD_TOKEN" : `The file ${file} of FAIRLEAD_TOKEN_FILE`;
  throw new UsageError(`${source} is not a token: a token is one word, as \`fairlead token\` prints it.`);
}

function readVariableFile(variable: string, file: string, { folder }: Pick<CliContext, "folder">): string {
  try {
    return readFileSync(resolve(folder, file), "utf8");
  } catch (cause) {
    throw new UsageError(`The file ${file} of ${variable} cannot be read: ${(cause as Error).message}`, null, {
      cause,
    });
  }
}
