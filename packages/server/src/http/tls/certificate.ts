import { createPrivateKey, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { FairleadError } from "@fairlead/contract";

/** A certificate with its key, in PEM. */
export interface Certificate {
  /** The certificate of the service, followed by those between it and the certificate authority. */
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** The oldest version of TLS that the service speaks. */
export const minTlsVersion = "TLSv1.2";

/**
 * Throws `invalid-settings` if a certificate cannot be read, or if the key is not its key. Node accepts some of these, and
 * every handshake fails then.
 */
export function checkCertificate({ cert, key }: Certificate): void {
  const certificate = parse("certificate", () => new X509Certificate(cert));
  const privateKey = parse("key of the certificate", () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey))
    throw new FairleadError(
      "invalid-settings",
      `The key is not the key of the certificate for ${certificate.subjectAltName ?? certificate.subject}. Name the two files that were made together.`,
    );
  try {
    createSecureContext({ cert, key, minVersion: minTlsVersion });
  } catch (cause) {
    const message = `The certificate cannot be used for TLS: ${(cause as Error).message}. Make another one, with a longer key.`;
    throw new FairleadError("invalid-settings", message, { cause });
  }
}

function parse<Parsed>(what: string, read: () => Parsed): Parsed {
  try {
    return read();
  } catch (cause) {
    const message = `The ${what} cannot be read: it is not valid PEM without a passphrase. Name a file that begins with "-----BEGIN".`;
    throw new FairleadError("invalid-settings", message, { cause });
  }
}
