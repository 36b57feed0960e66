/** The command that runs a program in a network namespace of its own, which has nothing but loopback. */
export function offline(program: string, args: readonly string[]): readonly [string, readonly string[]] {
  const enter = process.getuid?.() === 0 ? ["--net"] : ["--map-root-user", "--net"];
  // A new namespace has its loopback down.
  const inside = '{ ip link set lo up || ifconfig lo up; } 2>/dev/null || exit 69; exec "$@"';
  return ["unshare", [...enter, "sh", "-c", inside, "offline", program, ...args]];
}
