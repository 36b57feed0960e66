import { z } from "zod";

/** An instance of a host, as the log has it. */
export const HostOwner = z.strictObject({
  /** The stable id of the host, which its data directory keeps. */
  host: z.string().min(1),
  /** A host that joins again gets another. It is the key of the host's entry. */
  instance: z.string().regex(/^[\w-]{16}$/),
  /** The pool whose work the host takes, so that others know who may continue its sessions after it has expired. */
  pool: z.string().exactOptional(),
});
export type HostOwner = z.infer<typeof HostOwner>;

/** Returns the parts of an owner, or undefined if the text is not the owner of a fleet's host. */
export function parseHostOwner(owner: string): HostOwner | undefined {
  try {
    return HostOwner.safeParse(JSON.parse(owner)).data;
  } catch {
    return undefined;
  }
}

/** Returns the stable id of an owner's host, or undefined if the text is not the owner of a fleet's host. */
export function hostOfOwner(owner: string): string | undefined {
  return parseHostOwner(owner)?.host;
}
