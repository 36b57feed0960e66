import { hostOf, type Hosts } from "@fairlead/engine";
import { defaultPool } from "../start-job.ts";

/** Milliseconds for the first host, and without a further one after which all are known. */
const firstAnswerTime = 5_000;
const quietTime = 300;

/** Whether a pool has a host that takes work, apart from one. It may have no free place. */
export async function hasOtherHost(
  hosts: Pick<Hosts, "watch">,
  { host, pool }: { readonly host: string; readonly pool: string },
): Promise<boolean> {
  const quiet = new AbortController();
  let timer = setTimeout(() => quiet.abort(), firstAnswerTime);
  try {
    for await (const { owner, host: other } of hosts.watch(quiet.signal)) {
      clearTimeout(timer);
      timer = setTimeout(() => quiet.abort(), quietTime);
      if (other === null || hostOf(owner) === host || (other.pool ?? defaultPool) !== pool) continue;
      if (other.draining !== true && other.absent !== true) return true;
    }
    return false;
  } finally {
    clearTimeout(timer);
    quiet.abort();
  }
}
