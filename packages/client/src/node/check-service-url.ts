import { FairleadError } from "@fairlead/contract";

/**
 * Parses the URL of a service. Throws `invalid-settings` for one that is not of the form `https://HOST:PORT`, or over
 * which a token would cross a network unencrypted.
 */
export function checkServiceUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol))
    throw new FairleadError("invalid-settings", `"${text}" is not the URL of a service: use https://HOST:PORT.`);
  if (url.username !== "" || url.password !== "")
    throw new FairleadError(
      "invalid-settings",
      `The URL of ${url.host} contains a login, which a service does not take: use ${url.origin} and a token.`,
    );
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "")
    throw new FairleadError("invalid-settings", `"${text}" has more than a host and a port: use ${url.origin}.`);
  if (url.protocol === "http:" && !isLoopbackName(url.hostname))
    throw new FairleadError(
      "invalid-settings",
      `The token is not sent to ${url.origin}, because anyone on the network could read it: use https://${url.host}, or a tunnel and http://127.0.0.1:PORT.`,
    );
  return url;
}

/** Whether a host of a parsed URL, which has addresses in their canonical form, is this machine. */
function isLoopbackName(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}
