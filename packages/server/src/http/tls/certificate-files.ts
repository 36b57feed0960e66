import { readFileSync, statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import { type Certificate, checkCertificate } from "./certificate.ts";

/** How often the files are checked for a change, in milliseconds. */
const defaultInterval = 5000;

export interface CertificateFilesOptions {
  readonly certFile: string;
  readonly keyFile: string;
  readonly interval?: number;
  /** Receives why changed files cannot be used. The certificate before them stays in use. */
  readonly onError?: (error: unknown) => void;
}

/** The files of a certificate and its key, which another program renews. */
export class CertificateFiles {
  readonly #options: CertificateFilesOptions;
  #version: string;
  #current: Certificate;

  private constructor(options: CertificateFilesOptions, version: string, current: Certificate) {
    this.#options = options;
    this.#version = version;
    this.#current = current;
  }

  /** Reads the files. Throws `invalid-settings` if they are not a certificate and its key. */
  static read(options: CertificateFilesOptions): CertificateFiles {
    // The version is read before the files, so that a change in between is seen as a later one.
    const version = readVersion(options);
    return new CertificateFiles(options, version, readPair(options));
  }

  get current(): Certificate {
    return this.#current;
  }

  /**
   * Yields each new certificate until the signal aborts. Checks the files repeatedly, because renewed files often arrive
   * by a changed link in a folder above, of which the system gives no notice. Two files cannot be replaced at once, so
   * files that cannot be used are tried again at each check, and reported at the second one.
   */
  async *watch(signal: AbortSignal): AsyncGenerator<Certificate> {
    const { interval = defaultInterval, onError } = this.#options;
    let failures = 0;
    while (await waitUnlessAborted(interval, signal)) {
      try {
        const version = readVersion(this.#options);
        if (version === this.#version) continue;
        this.#current = readPair(this.#options);
        this.#version = version;
      } catch (error) {
        failures += 1;
        if (failures === 2) onError?.(error);
        continue;
      }
      failures = 0;
      yield this.#current;
    }
  }
}

async function waitUnlessAborted(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  try {
    await delay(milliseconds, undefined, { signal, ref: false });
    return true;
  } catch {
    return false;
  }
}

function readPair({ certFile, keyFile }: CertificateFilesOptions): Certificate {
  const pair = { cert: readPem(certFile), key: readPem(keyFile) };
  checkCertificate(pair);
  return pair;
}

function readPem(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new FairleadError("invalid-settings", `The file ${file} cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** Identifies the state of the files without reading them. Follows links. Throws if one of them is missing. */
function readVersion({ certFile, keyFile }: CertificateFilesOptions): string {
  return [certFile, keyFile]
    .map((file) => {
      const stats = statSync(file, { throwIfNoEntry: false });
      if (stats === undefined) throw new FairleadError("invalid-settings", `There is no file ${file}.`);
      return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeMs}`;
    })
    .join(" ");
}
