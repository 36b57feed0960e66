/**
 * A command that leaves behind what it can: a child in a session of its own that ignores every polite signal, a
 * grandchild without a parent and without an environment, and itself. Each carries the mark in its command line.
 */
export function nasty(mark: string): string {
  const stay = (name: string): string => `exec -a fl-${mark}-${name} tail -f /dev/null`;
  const deaf = `trap "" TERM HUP INT; ${stay("session")}`;
  const bare = `trap "" TERM HUP INT; ${stay("bare")}`;
  return `setsid bash -c '${deaf}' & (env -i /bin/bash -c '${bare}' &) ; bash -c '${stay("self")}'`;
}
