import type { NetworkRule } from "@fairlead/contract";

const reasons: Readonly<Record<NetworkRule | "denied", string>> = {
  denied: "the request was denied",
  "no-answer": "no answer came in time",
  "too-many": "too many other hosts wait for an answer",
  "not-needed": "the agent works without it",
  private: "it is on this machine or in its private network",
  address: "it is an address; use a host name",
  invalid: "it is not a host and a port",
  unresolved: "the name could not be resolved",
  unlisted: "it is not on a list",
  service: "it does not answer",
  listed: "it does not answer",
  forwarded: "it does not answer",
  answer: "it does not answer",
};

/** Returns the text of the answer to a request that the gate does not let through. Agents show it to people. */
export function explainRefusal(target: string, reason: NetworkRule | "denied"): string {
  return `Fairlead's network gate refused ${target}: ${reasons[reason]}.\n`;
}
