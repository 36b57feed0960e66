import { formatResolution } from "@fairlead/api";
import type { EventOf } from "@fairlead/contract";

/** An answer in words: its outcome, and who gave it, for how long, with which input, and why. */
export interface ResolutionWords {
  readonly outcome: string;
  readonly details: string;
}

const outcomes: Readonly<Record<EventOf<"decision.resolved">["outcome"], string>> = {
  allowed: "allowed",
  answered: "answered",
  denied: "denied",
  canceled: "withdrawn",
  "timed-out": "not answered in time",
};

/** An edited input of any length is in the row of the call. */
const maxInputLength = 200;

/** Says an answer in the same words as the command line, apart from the color of its outcome. */
export function toResolutionWords(resolution: EventOf<"decision.resolved">): ResolutionWords {
  const text = formatResolution(resolution, (input) =>
    input.length > maxInputLength ? `${input.slice(0, maxInputLength)}…` : input,
  );
  return { outcome: outcomes[resolution.outcome], details: text.slice(resolution.outcome.length).trim() };
}
