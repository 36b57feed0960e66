import type { FailureCase, ServedUsage } from "@fairlead/conformance";
import type { Lab } from "../lab.ts";
import type { ServedAnswer } from "../model-usage.ts";
import { scriptPrompt, type ScriptStep } from "../script.ts";

export interface ModelFailureOptions {
  /** Settings for every failing session. */
  readonly settings?: object;
  /** Additional settings for the session whose model never answers. */
  readonly hangSettings?: object;
  /** Error messages by HTTP status, for an agent that reports the message but not the status. */
  readonly errorMessages?: Readonly<Record<number, string>>;
}

/** Lists the failures of a model API that every agent must handle. */
export function modelFailures(
  lab: Lab,
  { settings, hangSettings, errorMessages = {} }: ModelFailureOptions = {},
): FailureCase[] {
  const failureCase = (name: string, category: FailureCase["category"], step: ScriptStep): FailureCase => ({
    name,
    category,
    prompt: scriptPrompt([step]),
    ...(settings && { settings }),
  });
  const httpFailure = (status: number, category: FailureCase["category"]): FailureCase => {
    const message = errorMessages[status];
    return failureCase(`HTTP ${status}`, category, { error: { status, ...(message !== undefined && { message }) } });
  };
  return [
    httpFailure(400, "bad-request"),
    httpFailure(401, "not-authenticated"),
    httpFailure(429, "rate-limited"),
    httpFailure(500, "provider-failed"),
    failureCase("cut stream", "connection-lost", { text: "This will be cut off.", cut: true }),
    {
      ...failureCase("hung model", "timed-out", { hang: true }),
      ...(hangSettings && { settings: { ...settings, ...hangSettings } }),
    },
    {
      ...failureCase("connection refused", "unreachable", { text: "Never said." }),
      async arrange() {
        lab.refuse();
        return { [Symbol.asyncDispose]: () => lab.accept() };
      },
    },
  ];
}

/** Converts the usage of the lab's complete answers to the judge's type, for agents that count auxiliary requests. */
export function readLabUsage(lab: Lab): ServedUsage[] {
  return toServedUsage(lab.servedAnswers);
}

/** The same for agents that count only the requests of a conversation. */
export function readConversationUsage(lab: Lab): ServedUsage[] {
  return toServedUsage(lab.servedAnswers.filter(({ auxiliary }) => !auxiliary));
}

function toServedUsage(answers: readonly ServedAnswer[]): ServedUsage[] {
  return answers
    .filter((answer) => answer.complete)
    .map(({ model, input, cacheRead, cacheWrite, output, auxiliary }) => ({
      model,
      tokens: { uncached: input, cacheRead, cacheWrite, output },
      auxiliary,
    }));
}
