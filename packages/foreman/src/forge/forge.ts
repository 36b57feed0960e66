/** A request to merge a branch. */
export interface MergeRequest {
  readonly branch: string;
  readonly commit: string;
  readonly title: string;
  readonly body: string;
}

/** Where requests to merge are made. */
export interface Forge {
  /**
   * Makes the request for a branch that was pushed, or finds the one that there is. A branch has one request, however often
   * this is called. Returns its address, for a person.
   */
  request(request: MergeRequest): Promise<string>;
}
