import { FairleadError } from "@fairlead/contract";
import { ConnectionLost } from "../connection-lost.ts";

/** Codes of OpenSSL for a certificate whose chain ends at no trusted authority. */
const untrustedCodes: readonly string[] = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_UNTRUSTED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_REJECTED",
  "INVALID_CA",
  "INVALID_PURPOSE",
];

interface ConnectionError {
  readonly code?: string;
  readonly message?: string;
  /** What the certificate is for, if it is for another name. */
  readonly cert?: { readonly subjectaltname?: string };
}

export interface ConnectionAttempt {
  readonly url: URL;
  /** Whether the caller named the certificate authority to trust. */
  readonly hasAuthority: boolean;
  /** Whether the transport has already reached the service. */
  readonly hasConnected: boolean;
}

/**
 * Says why a service at a URL cannot be reached, and what to do. Returns `ConnectionLost` for what may pass, so that the
 * client retries, and a `FairleadError` for what would fail again.
 */
export function explainConnectionError(
  cause: unknown,
  { url, hasAuthority, hasConnected }: ConnectionAttempt,
): ConnectionLost | FairleadError {
  const { code = "", message = "", cert } = (cause ?? {}) as ConnectionError;
  const refuse = (text: string): FairleadError => new FairleadError("not-allowed", text, { cause });
  const lose = (text: string): ConnectionLost => new ConnectionLost(text, { cause });

  if (untrustedCodes.includes(code)) {
    const advice = hasAuthority
      ? "name the file of the authority that signed it (FAIRLEAD_CA=FILE)"
      : "name the file of its certificate authority (FAIRLEAD_CA=FILE)";
    return refuse(`The certificate of ${url.origin} is not trusted (${code}), so no token was sent: ${advice}.`);
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    const names = cert?.subjectaltname ?? "no name";
    return refuse(
      `The certificate of ${url.origin} is for ${names} and not for ${url.hostname}, so no token was sent: use a name of the certificate in the URL.`,
    );
  }
  if (code === "CERT_HAS_EXPIRED")
    return refuse(
      `The certificate of ${url.origin} has expired, so no token was sent: renew it on the server, or correct the clock here.`,
    );
  if (code === "CERT_NOT_YET_VALID")
    return refuse(
      `The certificate of ${url.origin} is not valid yet, so no token was sent: correct the clock here or on the server.`,
    );
  if (/wrong version number|packet length too long|http request/.test(message) && !hasConnected)
    return refuse(`${url.origin} does not speak TLS: check the port, or use http:// for a tunnel on this machine.`);
  if ((code === "EPROTO" || code.startsWith("ERR_SSL_")) && !hasConnected)
    return refuse(`The TLS handshake with ${url.origin} failed: check the version of TLS there. ${firstLine(message)}`);

  if (code === "ENOTFOUND" && !hasConnected)
    return new FairleadError(
      "invalid-settings",
      `Cannot connect to ${url.origin}, because there is no host ${url.hostname}: check the URL.`,
      { cause },
    );
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return lose(
      `Cannot connect to ${url.origin}, because the name ${url.hostname} cannot be resolved: check the network.`,
    );
  if (code === "ECONNREFUSED")
    return lose(
      `Cannot connect to ${url.origin}, because nothing listens there: check the URL, and whether the service runs.`,
    );
  if (["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "EHOSTDOWN", "ENETDOWN"].includes(code))
    return lose(
      `Cannot connect to ${url.origin}, because it does not respond: check the network, and firewalls in between.`,
    );
  if (url.protocol === "http:")
    return lose(`Cannot connect to ${url.origin}: the connection broke. If it speaks TLS, use https://${url.host}.`);
  return lose(`Cannot connect to ${url.origin}: ${message === "" ? "the connection broke" : firstLine(message)}.`);
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
