import { peekToken, signIn, type SignIn } from "./sign-in.ts";
import { waitOrOnline } from "./wait-or-online.ts";

const firstDelayMs = 500;
/** Until the service has said what the token permits, the page lacks controls. */
const maxDelayMs = 2_000;

/** Signs in, and again while the service does not answer, because the page is then shown without what it may do. */
export async function* signInUntilAnswered(
  signal: AbortSignal,
  attempt: () => Promise<SignIn> = signIn,
  hasToken: () => boolean = () => peekToken() !== null,
  wait: typeof waitOrOnline = waitOrOnline,
): AsyncGenerator<SignIn> {
  for (let delayMs = firstDelayMs; !signal.aborted; delayMs = Math.min(2 * delayMs, maxDelayMs)) {
    const result = await attempt();
    if (signal.aborted) return;
    yield result;
    // A code that the service may have used cannot be sent again.
    if (result.type === "accepted" || result.kind !== "unavailable" || !hasToken()) return;
    await wait(delayMs, signal);
  }
}
