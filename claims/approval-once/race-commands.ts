import type { PolicyRequest } from "@fairlead/contract";

/** Programs that write a number to a file, one for each rule. */
const programs = ["echo", "printf '%s\\n'", "seq -f %.0f 1 0; echo"] as const;

/** The command of a request. A third is asked about, a third allowed by a rule, a third denied by one. */
export function commandOf(number: number): string {
  return `${programs[number % programs.length]} ${number} >> ran`;
}

export const racePolicy: PolicyRequest = {
  rules: [
    { verdict: "ask", command: "echo" },
    { verdict: "allow", command: "printf" },
    { verdict: "deny", command: "seq" },
  ],
  deadlineSeconds: 1,
};
