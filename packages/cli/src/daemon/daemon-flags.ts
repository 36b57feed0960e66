/**
 * How Node is started to be a daemon: it rather collects than grows, so that neither a flood nor clients that do not read
 * make it large; but with less room than this for what is new, hundreds of sessions would have it collect all the time.
 */
export const daemonFlags: readonly string[] = ["--optimize-for-size", "--max-semi-space-size=4"];
