/**
 * How Node is started to be a daemon: it collects before it has grown by a third, so that neither a flood nor clients that
 * do not read make it large; but it has room for what is new, since what hundreds of sessions replace ten times a second
 * would else be taken for old, and looking through what is old stops them all.
 */
export const daemonFlags: readonly string[] = ["--max-semi-space-size=8", "--heap-growing-percent=30"];
