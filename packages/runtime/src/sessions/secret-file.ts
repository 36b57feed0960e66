import { renameSync, writeFileSync } from "node:fs";
import { FairleadError } from "@fairlead/contract";
import type { SecretValues } from "@fairlead/keeper";
import { z } from "zod";
import { readPlainFile } from "../host/read-plain-file.ts";

const StoredSecrets = z.record(z.string(), z.string());
const maxBytes = 4 * 1024 ** 2;

/** Reads the secret settings of a session. A session without a file has none. */
export function readSecrets(file: string): SecretValues {
  const text = readPlainFile(file, maxBytes);
  if (text === null) return {};
  try {
    return StoredSecrets.parse(JSON.parse(text));
  } catch {
    // Without the cause, which could quote the file.
    throw new FairleadError("corrupt", `${file} cannot be read.`);
  }
}

/**
 * Stores secret settings, readable only by their owner. Keeps those that are stored: an earlier attempt to start the
 * session may have recorded an opening with other references.
 */
export function writeSecrets(file: string, secrets: SecretValues): void {
  if (Object.keys(secrets).length === 0) return;
  const text = JSON.stringify({ ...readSecrets(file), ...secrets });
  if (Buffer.byteLength(text) > maxBytes)
    throw new FairleadError("invalid-settings", `The secret settings have more than ${maxBytes} bytes.`);
  const temporary = `${file}.new`;
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  renameSync(temporary, file);
}
