import { FairleadError } from "@fairlead/contract";

/**
 * Says what to do about a response that refuses the token or the name of the service. Returns null for other responses.
 * Neither is temporary, so the client does not retry.
 */
export function explainRefusedRequest(status: number, url: URL): FairleadError | null {
  if (status === 401)
    return new FairleadError(
      "not-allowed",
      `${url.origin} does not know the token, or it was revoked: issue one with \`fairlead token LABEL --scope read drive approve\` on the machine of the service, or for a gateway of a fleet with \`fairlead token LABEL --scope read drive approve --fleet FILE\`, and set FAIRLEAD_TOKEN to it.`,
    );
  if (status === 421)
    return new FairleadError(
      "invalid-settings",
      `${url.origin} does not accept the name ${url.host}: use one of its names in the URL, or start the service with --name ${url.host}.`,
    );
  return null;
}
