import { createHash } from "node:crypto";
import { keyedMap, type EventOf } from "@fairlead/contract";
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

/** Returns the protocol's ids for a request: the request's id or, if it has several questions, one id per question. */
export function questionIds(request: string, questions: readonly unknown[]): string[] {
  return questions.length < 2 ? [request] : questions.map((_, index) => `${request}/${index + 1}`);
}

/**
 * Returns the protocol's id for a request: the agent's own id, or another one if an earlier request had that. The agent
 * chooses its ids and may use one again. A client's answer must not apply to a request that the client has not seen.
 */
export function toRequestId(
  state: Pick<ShimState, "decisions">,
  sequence: number,
  { decision, questions = [] }: Pick<EventOf<"decision.requested">, "decision" | "questions">,
): string {
  const isFree = (id: string): boolean =>
    keyedMap.get(state.decisions, id) === undefined &&
    questionIds(id, questions).every((one) => findDecision(state, one) === undefined);
  for (let attempt = 0, id = decision; ; attempt += 1, id = deriveUuid(decision, sequence, attempt))
    if (isFree(id)) return id;
}

export interface FoundDecision {
  /** The protocol's id for the request. */
  readonly request: string;
  /** The index of the question that the id names. */
  readonly index: number;
  readonly details: ShimDecision;
}

/** Finds the decision and the question of a protocol id. */
export function findDecision({ decisions }: Pick<ShimState, "decisions">, id: string): FoundDecision | undefined {
  // The id of a question is that of its request with a suffix. The request's own id may have a slash too.
  for (const request of [id, id.slice(0, Math.max(0, id.lastIndexOf("/")))]) {
    const details = keyedMap.get(decisions, request);
    if (details === undefined) continue;
    const index = questionIds(request, details.questions).indexOf(id);
    if (index >= 0) return { request, index, details };
  }
  return undefined;
}

/** Returns the protocol's ids of all open decisions. */
export function openDecisionIds({ decisions }: ShimState): string[] {
  return keyedMap
    .entries(decisions)
    .flatMap(([request, { isOpen, questions }]) => (isOpen ? questionIds(request, questions) : []));
}
