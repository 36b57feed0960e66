/** What any program needs to run at all. Everything else an agent gets only if its manifest names it. */
const always = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_*", "TZ", "TMPDIR", "TERM", "HTTP_PROXY", "HTTPS_PROXY"];
const alsoAlways = ["NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"];

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of an agent: a list of what may pass, never a list of what may not. */
export function childEnvironment(
  ours: Environment,
  named: readonly string[],
  added: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = [...always, ...alsoAlways, ...named];
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(ours)) {
    if (value !== undefined && names.some((one) => covers(one, name))) child[name] = value;
  }
  // Other shells have ways to run code that a reader of commands does not see.
  return { ...child, SHELL: "/bin/bash", ...added };
}

function covers(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
