import { assertNamespace } from "../log/stream-layout.ts";
import { encodeSubjectToken } from "./subject-token.ts";

/** The names of the streams and subjects of a work queue. */
export class QueueLayout {
  /** The stream whose messages name the jobs that have not ended, by pool. */
  readonly jobs: string;
  /** The stream with the record of each key: the job, its newest taker, and its outcome. */
  readonly outcomes: string;
  readonly #namespace: string;

  constructor(namespace: string) {
    assertNamespace(namespace);
    this.#namespace = namespace;
    this.jobs = `${namespace}_JOBS`;
    this.outcomes = `${namespace}_OUTCOMES`;
  }

  /** The subject that matches the jobs of all pools. */
  get allJobs(): string {
    return `${this.#namespace}.job.*`;
  }

  /** The subject that matches the records of all keys. */
  get allOutcomes(): string {
    return `${this.#namespace}.outcome.*`;
  }

  /** The pattern of the subjects on which the servers announce changed records, as the configuration of a stream needs it. */
  get changeTemplate(): string {
    return `${this.#namespace}.outcome-change.{{wildcard(1)}}`;
  }

  jobSubject(pool: string): string {
    return `${this.#namespace}.job.${encodeSubjectToken(pool)}`;
  }

  /** Returns the name of the consumer that all takers of a pool share. */
  consumerOf(pool: string): string {
    return encodeSubjectToken(pool);
  }

  outcomeSubject(key: string): string {
    return `${this.#namespace}.outcome.${encodeSubjectToken(key)}`;
  }

  changeSubject(key: string): string {
    return `${this.#namespace}.outcome-change.${encodeSubjectToken(key)}`;
  }
}
