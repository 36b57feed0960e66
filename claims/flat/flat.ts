import type { Claim, Proof } from "../../measure/claim.ts";
import { historyBound, proveHistory } from "./history.ts";
import { proveText, textBound } from "./text.ts";
import { proveTurns, turnsBound } from "./turns.ts";

/** What may grow, and the proof that no step gets slower with it. `FAIRLEAD_PARTS=turns,history` proves only some. */
const parts: Readonly<Record<string, { readonly bound: string; readonly prove: () => Promise<Proof> }>> = {
  turns: { bound: turnsBound, prove: proveTurns },
  text: { bound: textBound, prove: proveText },
  history: { bound: historyBound, prove: proveHistory },
};

export const flat: Claim = {
  id: "flat",
  statement: "No step gets slower with the length of a turn, a text or the history.",
  bound: Object.values(parts)
    .map(({ bound }) => bound)
    .join("; "),
  async prove() {
    const chosen = process.env["FAIRLEAD_PARTS"]?.split(",") ?? Object.keys(parts);
    const proofs: Proof[] = [];
    for (const name of chosen) {
      const part = parts[name];
      if (part === undefined) throw new Error(`The claim has no part ${name}.`);
      const proof = await part.prove();
      console.log(`${name}: ${proof.holds ? "holds" : "does not hold"}: ${proof.measured}`);
      proofs.push(proof);
    }
    // A part that was left out is not proven.
    const holds = proofs.every((proof) => proof.holds) && chosen.length === Object.keys(parts).length;
    return { measured: proofs.map(({ measured }) => measured).join("; "), holds };
  },
};
