export { browserWire } from "./browser-wire.ts";
export { RemoteFairlead, type RemoteOptions } from "./remote-fairlead.ts";
export type { Wire } from "./wire.ts";
