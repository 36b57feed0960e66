import { adapters } from "@fairlead/adapters";
import type { Capability } from "@fairlead/contract";
import type { Claim } from "./claim.ts";
import { onTheStage } from "./on-the-stage.ts";

interface Situations {
  /** What the names of the situations have in common. */
  readonly only: string;
  /** What the names of the clauses have in common that the claim is about. */
  readonly clauses: string;
  /** Without these an agent cannot be put into them. */
  readonly needs: readonly Capability[];
}

/** A claim about some clauses in some situations, on every agent that can be put into them. */
function inSituations(claim: Omit<Claim, "prove">, { only, clauses: about, needs }: Situations): Claim {
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
        const { version, clauses, scenarios, output } = await onTheStage(manifest.id, { only });
        const tested = [...clauses].filter(([clause]) => clause.startsWith(about));
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

export const usageExact = inSituations(
  {
    id: "usage-exact",
    says: "The tokens in our journal are the tokens that the model's service served, to the token, also after a resume.",
    bound: "equal, over three turns and a resume, with cached tokens, on every agent that reports any",
  },
  { only: "meters", clauses: "usage:", needs: ["usage", "resume"] },
);

export const deadlines = inSituations(
  {
    id: "deadlines",
    says: "When the model's service fails or hangs, the turn ends in a categorised error within its stated deadline.",
    bound: "every failure, on every agent",
  },
  { only: "failure:", clauses: "error:", needs: [] },
);

export const resumeVerified = inSituations(
  {
    id: "resume-verified",
    says: "A resume has a typed outcome with evidence; a conversation that the agent does not know is never begun anew.",
    bound: "a new process goes on in the same conversation; an unknown one is an error, on every agent that can resume",
  },
  { only: "resume", clauses: "resume:", needs: ["resume"] },
);
