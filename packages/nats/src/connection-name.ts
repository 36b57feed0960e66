/** Returns the name under which a process of a fleet connects. The servers list it, and `fairlead fleet status` counts it. */
export function connectionName(namespace: string, host: string): string {
  return `fairlead ${namespace} ${host}`;
}
