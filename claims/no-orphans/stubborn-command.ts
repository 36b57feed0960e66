/**
 * A shell command that tries to leave processes behind: a child in a session of its own that ignores signals, a grandchild
 * without a parent and without an environment, and itself. Each has the mark in its command line.
 */
export function buildStubbornCommand(mark: string): string {
  const stayAlive = (name: string): string => `exec -a fl-${mark}-${name} tail -f /dev/null`;
  const ignoresSignals = `trap "" TERM HUP INT; ${stayAlive("session")}`;
  const withoutEnvironment = `trap "" TERM HUP INT; ${stayAlive("bare")}`;
  return `setsid bash -c '${ignoresSignals}' & (env -i /bin/bash -c '${withoutEnvironment}' &) ; bash -c '${stayAlive("self")}'`;
}
