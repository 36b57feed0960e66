/** Milliseconds for which a host keeps what a session that moved to another one has left, since it was last written. */
export const departedKeepMs = 7 * 24 * 60 * 60 * 1000;
