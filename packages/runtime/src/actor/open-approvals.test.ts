import type { AgentEvent, EventDraft } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { OpenApprovals } from "./open-approvals.ts";

const draft = (id: string, body: object): EventDraft => ({ id: `s/${id}`, body: body as AgentEvent }) as EventDraft;
const requested = (id: string, decision: string, kind = "approval") =>
  draft(id, { type: "decision.requested", decision, kind });
const resolved = (id: string, decision: string) => draft(id, { type: "decision.resolved", decision });

describe("open approvals", () => {
  test("are taken once, and again for a new keeper while they are open", () => {
    const approvals = new OpenApprovals();
    approvals.update(requested("1.0", "a"));
    approvals.update(requested("1.1", "b"));
    approvals.update(requested("2.0", "q", "question"));
    expect([...approvals.takeUnsent()]).toEqual([
      ["a", "mode-1.0"],
      ["b", "mode-1.1"],
    ]);
    expect([...approvals.takeUnsent()]).toEqual([]);
    approvals.update(resolved("3.0", "a"));
    approvals.resendAll();
    expect([...approvals.takeUnsent()]).toEqual([["b", "mode-1.1"]]);
  });

  test("have another note for each request, also if the agent uses the id of a decision again", () => {
    const approvals = new OpenApprovals();
    const decision = "x".repeat(5000);
    for (const seq of [1, 2]) {
      approvals.update(requested(`${seq}.0`, decision));
      expect([...approvals.takeUnsent()]).toEqual([[decision, `mode-${seq}.0`]]);
      approvals.update(resolved(`${seq}.1`, decision));
    }
    expect(approvals.pending).toEqual([]);
  });

  test("continue from a snapshot, also from one of an older version, which has the decisions only", () => {
    expect([...new OpenApprovals([["a", "mode-1.0"]], 9).takeUnsent()]).toEqual([["a", "mode-1.0"]]);
    const old = new OpenApprovals(["a", "b"], 9);
    expect([...old.takeUnsent()]).toEqual([
      ["a", "mode-9-0"],
      ["b", "mode-9-1"],
    ]);
    expect(old.pending).toHaveLength(2);
  });
});
