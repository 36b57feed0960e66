import type { Failure, Served } from "@fairlead/conformance";
import type { Lab } from "../lab.ts";
import { script } from "../script.ts";
import type { Step } from "../step.ts";

export interface FailureOptions {
  /** Settings for a session that is to fail. */
  readonly settings?: object;
  /** Settings besides, for one whose model never answers. */
  readonly hung?: object;
  /** The service's words by status, for an agent that hands on these and no number. */
  readonly words?: Readonly<Record<number, string>>;
}

/** The ways in which a model's service fails, whoever the agent is. */
export function modelFailures(lab: Lab, { settings, hung, words = {} }: FailureOptions = {}): Failure[] {
  const failing = (name: string, category: Failure["category"], step: Step): Failure => ({
    name,
    category,
    prompt: script([step]),
    ...(settings && { settings }),
  });
  const answered = (status: number, category: Failure["category"]): Failure => {
    const message = words[status];
    return failing(`HTTP ${status}`, category, { error: { status, ...(message !== undefined && { message }) } });
  };
  return [
    answered(400, "bad-request"),
    answered(401, "not-authenticated"),
    answered(429, "rate-limited"),
    answered(500, "provider-failed"),
    failing("cut stream", "connection-lost", { text: "This will be cut off.", cut: true }),
    { ...failing("hung model", "timed-out", { hang: true }), ...(hung && { settings: { ...settings, ...hung } }) },
    {
      ...failing("connection refused", "unreachable", { text: "Never said." }),
      async arrange() {
        lab.refuse();
        return { [Symbol.asyncDispose]: () => lab.accept() };
      },
    },
  ];
}

/** What the lab has served in answers that were got whole, in the judge's words. */
export function servedBy(lab: Lab): Served[] {
  return lab.served
    .filter((served) => served.complete)
    .map(({ model, input, cacheRead, cacheWrite, output }) => ({
      model,
      tokens: { uncached: input, cacheRead, cacheWrite, output },
    }));
}
