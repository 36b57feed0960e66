import type { Claim } from "../../measure/claim.ts";
import { changeClones } from "./change-clone.ts";

const runs = 5;
const perRun = 20;

export const verdictBound: Claim = {
  id: "verdict-bound",
  statement: "Only the tree that was reviewed and approved is pushed.",
  bound: `${runs * perRun} changes of builders' clones after the verdict (content, mode, link, rename, ignored file, attributes and filters, new commit, other branch): 0 pushed, ${runs} of ${runs} branches have the tree of the verdict; control: pushing the clone pushes all changes`,
  async prove() {
    const { changes, pushed, otherTrees, pushedFromClone } = await changeClones({ runs, perRun });
    return {
      measured: `${changes} changes: ${pushed} pushed, ${otherTrees} of ${runs} branches with another tree; control: ${pushedFromClone} pushed from the clones`,
      holds: changes === runs * perRun && pushed === 0 && otherTrees === 0 && pushedFromClone === changes,
    };
  },
};
