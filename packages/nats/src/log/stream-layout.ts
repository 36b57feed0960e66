import { FairleadError } from "@fairlead/contract";
import { crc32 } from "node:zlib";
import { decodeSessionToken, encodeSessionToken } from "./session-token.ts";

/**
 * The number of streams of a log, unless the fleet's file has another one. With fewer streams, more appends are in flight
 * per stream, which makes a frame cheaper to write. With more, a stream has fewer sessions, which makes reading cheaper.
 */
export const defaultStreamCount = 16;

// A line of the protocol has a subject and a reply subject, and the server accepts 4,096 bytes by default.
const maxTokenLength = 1_500;

/** The names of a log's streams and subjects. */
export class StreamLayout {
  readonly namespace: string;
  readonly streamCount: number;

  constructor(namespace: string, streamCount: number) {
    assertNamespace(namespace);
    if (!Number.isInteger(streamCount) || streamCount < 1 || streamCount > 1_000) {
      throw new FairleadError("invalid-request", `A log cannot have ${streamCount} streams: choose 1 to 1000.`);
    }
    this.namespace = namespace;
    this.streamCount = streamCount;
  }

  /** Returns the number of the stream that has a session's frames. It must never change: frames do not move. */
  partitionOf(session: string): number {
    return crc32(session) % this.streamCount;
  }

  streamName(partition: number): string {
    return `${this.namespace}-log-${partition}`;
  }

  /** Returns the subject that matches all sessions of a stream. */
  allSubjects(partition: number): string {
    return `${this.namespace}.log.${partition}.*`;
  }

  subjectOf(session: string): string {
    return `${this.namespace}.log.${this.partitionOf(session)}.${tokenOf(session)}`;
  }

  /** Returns the subject on which the servers publish each frame of a session once it is stored. */
  liveSubjectOf(session: string): string {
    return `${this.namespace}.live.${tokenOf(session)}`;
  }

  /** Returns the subject on which a claim asks the owner of a session to wait. */
  claimingSubjectOf(session: string): string {
    return `${this.namespace}.claiming.${tokenOf(session)}`;
  }

  /** The subject that matches the claims of all sessions. */
  get allClaimingSubjects(): string {
    return `${this.namespace}.claiming.*`;
  }

  /** The pattern of the live subjects, as the configuration of a stream needs it. */
  get liveTemplate(): string {
    return `${this.namespace}.live.{{wildcard(1)}}`;
  }

  /** Returns the session of a frame's subject. */
  sessionOf(subject: string): string {
    return decodeSessionToken(subject.slice(subject.lastIndexOf(".") + 1));
  }
}

/** Throws unless a text can begin the names of streams and subjects. */
export function assertNamespace(namespace: string): void {
  if (/^[\w-]{1,64}$/.test(namespace)) return;
  const advice = "Use 1 to 64 letters, digits, underscores or hyphens.";
  throw new FairleadError("invalid-request", `"${namespace}" cannot be the namespace of a fleet. ${advice}`);
}

function tokenOf(session: string): string {
  const token = encodeSessionToken(session);
  if (token.length <= maxTokenLength) return token;
  const reason = `it needs ${token.length} characters in a subject, and ${maxTokenLength} are allowed`;
  throw new FairleadError("invalid-request", `The session's id "${session.slice(0, 40)}…" is too long: ${reason}.`);
}
