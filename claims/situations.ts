import { adapters } from "@fairlead/adapters";
import type { Capability } from "@fairlead/contract";
import type { Claim } from "../measure/claim.ts";
import { judgeAgent } from "./judge-agent.ts";

interface SituationFilter {
  /** The text in the names of the scenarios. */
  readonly only: string;
  /** The prefix of the clauses that the claim is about. */
  readonly clauses: string;
  /** The capabilities that an agent needs for these scenarios. */
  readonly needs: readonly Capability[];
}

/** Creates a claim about some clauses in some scenarios, on every agent that supports them. */
function createSituationClaim(
  claim: Omit<Claim, "prove">,
  { only, clauses: clausePrefix, needs }: SituationFilter,
): Claim {
  return {
    ...claim,
    async prove() {
      const parts: string[] = [];
      let holds = true;
      for (const { manifest } of adapters) {
        if (!needs.every((need) => manifest.capabilities.includes(need))) {
          parts.push(`${manifest.id} not declared`);
          continue;
        }
        const { version, clauses, scenarios, output } = await judgeAgent(manifest.id, { only });
        const tested = [...clauses].filter(([clause]) => clause.startsWith(clausePrefix));
        const broken = tested.filter(([, kept]) => !kept).map(([clause]) => clause);
        if (broken.length > 0 || tested.length === 0) console.log(output);
        holds &&= tested.length > 0 && broken.length === 0;
        const verdict = broken.length === 0 ? `${tested.length} kept` : `broken: ${broken.join(", ")}`;
        parts.push(`${manifest.id} ${version} ${verdict} in ${scenarios} situations`);
      }
      return { measured: parts.join(", "), holds };
    },
  };
}

export const usageExact = createSituationClaim(
  {
    id: "usage-exact",
    statement: "The tokens in the journal equal the tokens that the model's API served, also after a resume.",
    bound: "equal, over three turns and a resume, with cached tokens, on every agent that reports any",
  },
  { only: "meters", clauses: "usage:", needs: ["usage", "resume"] },
);

export const deadlines = createSituationClaim(
  {
    id: "deadlines",
    statement: "When the model's API fails or hangs, the turn ends with a categorized error within its deadline.",
    bound: "every failure, on every agent",
  },
  { only: "failure:", clauses: "error:", needs: [] },
);

export const resumeVerified = createSituationClaim(
  {
    id: "resume-verified",
    statement: "A resume has a typed outcome with evidence, and an unknown conversation is an error.",
    bound: "a new process continues the same conversation; an unknown one is an error; on every agent that can resume",
  },
  { only: "resume", clauses: "resume:", needs: ["resume"] },
);
