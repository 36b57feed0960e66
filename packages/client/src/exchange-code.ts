import { errorFromProblem, routes, type SignedInView } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";

/**
 * Exchanges a one-time code for a token at the service of a URL. Throws `not-allowed` if the code was used before, is late
 * or unknown, and `unavailable` if the service cannot be reached: the code may be used up then.
 */
export async function exchangeCode(base: string, code: string): Promise<SignedInView> {
  const { method, path } = routes.exchangeCode;
  const headers = { "content-type": "application/json", accept: "application/json" };
  let response: Response;
  try {
    response = await fetch(new URL(path, base), { method, headers, body: JSON.stringify({ code }) });
  } catch (cause) {
    throw new FairleadError("unavailable", `Cannot connect to Fairlead at ${base}.`, { cause });
  }
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw errorFromProblem(body, response.status);
  return body as SignedInView;
}
