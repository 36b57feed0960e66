import { createHash } from "node:crypto";
import { keyedMap } from "@fairlead/contract";
import type { ShimDecision, ShimState } from "./shim-state.ts";

/** Derives a UUID (version 8, RFC 9562) from its parts, so that a repeated event or artifact has the same id. */
export function deriveUuid(...parts: readonly (string | number)[]): string {
  const hex = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0b0011) | 0b1000).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join("-");
}

/** The id of a session as a run of the shim protocol. */
export const toRunId = (session: string): string => deriveUuid("run", session);

/** The id of a file. A file is one artifact, however often it is written. */
export const toArtifactId = (session: string, path: string): string => deriveUuid(session, path);

export const optionId = (index: number): string => `option-${index + 1}`;

/** Returns the protocol's ids for a decision: its own id or, if it has several questions, one id per question. */
export function questionIds(decision: string, questions: readonly unknown[]): string[] {
  return questions.length < 2 ? [decision] : questions.map((_, index) => `${decision}/${index + 1}`);
}

export interface FoundDecision {
  readonly decision: string;
  /** The index of the question that the id names. */
  readonly index: number;
  readonly details: ShimDecision;
}

/** Finds the decision and the question of a protocol id. */
export function findDecision({ decisions }: ShimState, id: string): FoundDecision | undefined {
  // The id of a question is that of its decision with a suffix. The decision's own id may have a slash too.
  for (const decision of [id, id.slice(0, Math.max(0, id.lastIndexOf("/")))]) {
    const details = keyedMap.get(decisions, decision);
    if (details === undefined) continue;
    const index = questionIds(decision, details.questions).indexOf(id);
    if (index >= 0) return { decision, index, details };
  }
  return undefined;
}

/** Returns the protocol's ids of all open decisions. */
export function openDecisionIds({ decisions }: ShimState): string[] {
  return keyedMap
    .entries(decisions)
    .flatMap(([decision, { isOpen, questions }]) => (isOpen ? questionIds(decision, questions) : []));
}
