/** The ids of records that the keeper writes without a request. The reducer knows them. */
export const ownRequestIds = {
  /** The keeper closes the stdin of an agent. */
  lease: "lease",
  /** The keeper ends its agents. */
  unattended: "unattended",
} as const;
