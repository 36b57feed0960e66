import { adapters } from "@fairlead/adapters";
import type { Capability } from "@fairlead/contract";
import type { Claim } from "./claim.ts";
import { onTheStage } from "./on-the-stage.ts";

/** A claim about some situations, on every agent that can be put into them. */
function inSituations(claim: Omit<Claim, "prove">, only: string, needs: readonly Capability[]): Claim {
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
        const { version, scenarios, broken, output } = await onTheStage(manifest.id, { only });
        if (broken.length > 0) console.log(output);
        holds &&= scenarios > 0 && broken.length === 0;
        parts.push(`${manifest.id} ${version} ${scenarios - broken.length} of ${scenarios}`);
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
  "meters",
  ["usage", "resume"],
);

export const deadlines = inSituations(
  {
    id: "deadlines",
    says: "When the model's service fails or hangs, the turn ends in a categorised error within its stated deadline.",
    bound: "every failure, on every agent",
  },
  "failure:",
  [],
);

export const resumeVerified = inSituations(
  {
    id: "resume-verified",
    says: "A resume has a typed outcome with evidence; a conversation that the agent does not know is never begun anew.",
    bound: "a new process goes on in the same conversation; an unknown one is an error, on every agent that can resume",
  },
  "resume",
  ["resume"],
);
