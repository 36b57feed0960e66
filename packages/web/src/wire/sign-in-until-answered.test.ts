import { expect, test } from "vitest";
import type { SignIn } from "./sign-in.ts";
import { signInUntilAnswered } from "./sign-in-until-answered.ts";

const away: SignIn = { type: "refused", kind: "unavailable", reason: "away" };
const accepted: SignIn = {
  type: "accepted",
  token: "fl_t",
  grant: { label: "phone", scopes: ["read"], expiresAt: null },
};

async function signInWith(
  answers: readonly SignIn[],
  hasToken = true,
): Promise<{ results: SignIn[]; waits: number[] }> {
  const waits: number[] = [];
  const results: SignIn[] = [];
  const left = [...answers];
  const attempt = async (): Promise<SignIn> => left.shift()!;
  const wait = async (milliseconds: number): Promise<void> => void waits.push(milliseconds);
  const { signal } = new AbortController();
  for await (const result of signInUntilAnswered(signal, attempt, () => hasToken, wait)) results.push(result);
  return { results, waits };
}

test("the page asks for its scopes until the service answers", async () => {
  const { results, waits } = await signInWith([away, away, away, away, accepted]);
  expect(results.at(-1)).toEqual(accepted);
  expect(waits).toEqual([500, 1_000, 2_000, 2_000]);
});

test("an answer ends it, and so does an outage without a token, because a code is sent once", async () => {
  const refused: SignIn = { type: "refused", kind: "token-refused", reason: "no" };
  expect((await signInWith([refused, accepted])).results).toEqual([refused]);
  expect((await signInWith([away, accepted], false)).results).toEqual([away]);
});
