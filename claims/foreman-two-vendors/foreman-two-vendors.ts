import type { Claim } from "../../measure/claim.ts";
import { runScenario } from "../foreman/run-scenario.ts";
import type { OneVendor, TwoVendors } from "./build-and-review.ts";

export const foremanTwoVendors: Claim = {
  id: "foreman-two-vendors",
  statement:
    "In a run, one vendor's agent builds and another vendor's reviews, and only what it approved is requested.",
  bound:
    "real claude-code builds and real codex reviews, and the other way round: one finding sent back to the builder's session and repaired, 1 request with the approved tree; a reviewer of the builder's vendor is refused before the start, and blocked by the reported usage if its manifest names another vendor",
  async prove() {
    const results = await runScenario<TwoVendors | OneVendor>("foreman-two-vendors/build-and-review.ts");
    const pairs = results.filter((one): one is TwoVendors => "builder" in one);
    const same = results.find((one): one is OneVendor => "doctored" in one);
    const isReviewed = ({ outcome, verdicts, isReturnedToBuilder, isApprovedTree, content, requests }: TwoVendors) =>
      outcome === "done" &&
      verdicts.join() === "changes,approve" &&
      isReturnedToBuilder &&
      isApprovedTree &&
      content === "right" &&
      requests === 1;
    return {
      measured:
        `${pairs.map((pair) => `${pair.builder} built, ${pair.reviewer} reviewed: ${pair.outcome} after ${pair.verdicts.join(", ")}, ${pair.requests} request${pair.isApprovedTree ? " with the approved tree" : ""}`).join("; ")}; ` +
        `one vendor: "${same?.problems[0] ?? ""}"; doctored manifest: ${same?.doctored.outcome} ("${same?.doctored.reason ?? ""}")`,
      holds:
        pairs.length === 2 &&
        pairs.every(isReviewed) &&
        same?.isStartRefused === true &&
        same.doctored.outcome === "blocked" &&
        same.pushed === "",
    };
  },
};
