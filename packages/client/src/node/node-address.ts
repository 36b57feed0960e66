import type { Scope } from "@fairlead/api";

/** A service that other machines may reach. Over plain HTTP, only one on this machine is accepted. */
export interface ServiceUrl {
  readonly url: string;
  readonly token: string;
  /** The certificates of the authorities to trust, in PEM, instead of those that Node trusts. */
  readonly ca?: string;
}

/** The address of a service: a Unix socket with an optional token, or a URL with a token. */
export type NodeAddress = ({ readonly socket: string; readonly token?: string } | ServiceUrl) & {
  /** The scopes to keep, of those that the caller has. Default: all of them. */
  readonly scopes?: readonly Scope[];
};
