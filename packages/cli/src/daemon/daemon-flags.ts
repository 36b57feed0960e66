/**
 * How Node is started to be a daemon. With as much room for what is new as Node takes by itself, fifty clients that do not
 * read cost a hundred mebibytes instead of thirty; with as little as a keeper has, collecting takes a third of its time.
 */
export const daemonFlags: readonly string[] = ["--max-semi-space-size=4"];
