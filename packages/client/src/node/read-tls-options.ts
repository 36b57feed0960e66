import { X509Certificate } from "node:crypto";
import type { ConnectionOptions } from "node:tls";
import { FairleadError } from "@fairlead/contract";

/** Returns the options of TLS connections. The environment cannot turn the check of certificates off. */
export function readTlsOptions(ca: string | undefined): ConnectionOptions {
  const options = { minVersion: "TLSv1.2", rejectUnauthorized: true } as const;
  if (ca === undefined) return options;
  // Node ignores text without a certificate, and then trusts no service.
  if (!isCertificate(ca))
    throw new FairleadError(
      "invalid-settings",
      `The certificate authority is not a certificate in PEM: name a file that begins with "-----BEGIN CERTIFICATE-----".`,
    );
  return { ...options, ca };
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== "";
  } catch {
    return false;
  }
}
