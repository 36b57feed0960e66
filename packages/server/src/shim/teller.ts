/** Who the events are about, as whoever started it calls it. */
export interface Teller {
  readonly agentId: string;
  readonly workstream: string;
}
