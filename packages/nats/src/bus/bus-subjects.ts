import { FairleadError } from "@fairlead/contract";
import { encodeSessionToken } from "../log/session-token.ts";
import { assertNamespace } from "../log/stream-layout.ts";

// A line of the protocol has a subject and a reply subject, and the server accepts 4,096 bytes by default.
const maxTokenLength = 1_500;

/** The names of a bus's subjects. All begin with the namespace and `bus`, so that one permission covers them. */
export class BusSubjects {
  readonly #prefix: string;

  constructor(namespace: string) {
    assertNamespace(namespace);
    this.#prefix = `${namespace}.bus`;
  }

  /** Returns the subject to which the host that serves a session listens. */
  calls(session: string): string {
    return `${this.#prefix}.call.${tokenOf(session)}`;
  }

  /** Returns the subject on which the hosts of a session tell each other their epochs. */
  epochs(session: string): string {
    return `${this.#prefix}.epoch.${tokenOf(session)}`;
  }

  /** Returns the subject of a session's live output. */
  deltas(session: string): string {
    return `${this.#prefix}.delta.${tokenOf(session)}`;
  }

  /** Returns the subject of one bus, which answers whether a call is under way and has the parts of large bodies. */
  process(bus: string): string {
    return `${this.#prefix}.process.${bus}`;
  }

  /** Returns the subject for the replies to one request of a bus. With `*` as the request, it matches all of them. */
  reply(bus: string, request: string): string {
    return `${this.#prefix}.reply.${bus}.${request}`;
  }

  /**
   * Whether a subject is one for replies. Without this check, a client that may only call sessions could make a host
   * publish to any subject that the host may use.
   */
  isReply(subject: string | undefined): subject is string {
    return subject?.startsWith(`${this.#prefix}.reply.`) === true;
  }
}

function tokenOf(session: string): string {
  const token = encodeSessionToken(session);
  if (token.length <= maxTokenLength) return token;
  const reason = `it needs ${token.length} characters in a subject, and ${maxTokenLength} are allowed`;
  throw new FairleadError("invalid-request", `The session's id "${session.slice(0, 40)}…" is too long: ${reason}.`);
}
